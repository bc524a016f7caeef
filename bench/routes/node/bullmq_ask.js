// Asks through BullMQ: adds a job, and waits until it is finished.
const {Queue, QueueEvents} = require('bullmq');
const {keepOpen} = require('./open');

const [port, open] = process.argv.slice(2).map(Number);
const connection = {host: '127.0.0.1', port};
const queue = new Queue('in', {connection});
const events = new QueueEvents('in', {connection});
queue.setMaxListeners(0);
events.setMaxListeners(0);

const ask = async (message) => {
    // It may be finished before we begin to wait; then it must still be there.
    const job = await queue.add('m', {message}, {removeOnComplete: {age: 60}});
    return job.waitUntilFinished(events);
};

events.waitUntilReady().then(() => keepOpen(ask, open));
