// A job per message; the handler pushes it to every out.
const {Queue, Worker} = require('bullmq');
const Redis = require('ioredis');
const {ready, tell, message} = require('./go');

const [port, count, size, ...outs] = process.argv.slice(2);
const connection = {host: '127.0.0.1', port: Number(port)};

(async () => {
    const redis = new Redis({...connection, maxRetriesPerRequest: null});
    const queue = new Queue('in', {connection});
    for (let at = 0; at < count; at += 1000) {
        const jobs = Array.from({length: 1000}, (_, i) => ({
            name: 'm', data: {message: message(at + i, size)}, opts: {removeOnComplete: true}}));
        await queue.addBulk(jobs);
    }
    let done = 0, finish;
    const finished = new Promise((resolve) => { finish = resolve; });
    const worker = new Worker('in', async (job) => {
        const pipe = redis.pipeline();
        for (const out of outs) pipe.lpush(out, job.data.message);
        await pipe.exec();
    }, {connection, concurrency: 50, autorun: false});
    worker.on('completed', () => { if (++done === Number(count)) finish(); });
    await ready();
    const began = performance.now();
    worker.run();
    await finished;
    const seconds = (performance.now() - began) / 1000;
    let ok = true;
    for (const out of outs) {
        const arrived = new Set(await redis.lrange(out, 0, -1));
        ok = ok && arrived.size === Number(count) && await redis.llen(out) === Number(count);
        for (let i = 0; i < count; i++) ok = ok && arrived.has(message(i, size));
    }
    tell({messages: Number(count), seconds, ok});
})();
