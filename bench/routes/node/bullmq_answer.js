// A worker of BullMQ that answers each job with its message.
const {Worker} = require('bullmq');

const [port, concurrency] = process.argv.slice(2).map(Number);
new Worker('in', async (job) => job.data.message, {connection: {host: '127.0.0.1', port}, concurrency});
