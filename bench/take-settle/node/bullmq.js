// A job per message, and a handler that does nothing.
const {Queue, Worker} = require('bullmq');
const {ready, tell, message} = require('../../mpush/node/go');

const [port, count, size, concurrency] = process.argv.slice(2).map(Number);
const connection = {host: '127.0.0.1', port};

(async () => {
    const queue = new Queue('in', {connection});
    for (let at = 0; at < count; at += 1000) {
        await queue.addBulk(Array.from({length: 1000}, (_, i) => ({
            name: 'm', data: {message: message(at + i, size)}, opts: {removeOnComplete: true}})));
    }
    let done = 0, finish;
    const finished = new Promise((resolve) => { finish = resolve; });
    const worker = new Worker('in', async () => {}, {connection, concurrency, autorun: false});
    worker.on('completed', () => { if (++done === count) finish(); });
    await ready();
    const began = performance.now();
    worker.run();
    await finished;
    const seconds = (performance.now() - began) / 1000;
    tell({messages: count, seconds, ok: await queue.getActiveCount() === 0 && await queue.getWaitingCount() === 0});
})();
