// Asks through mdispatch: pushes requests, and takes answers from a list of its own.
const Redis = require('ioredis');
const {keepOpen} = require('./open');

const [port, open] = process.argv.slice(2).map(Number);
const redis = new Redis({port, enableAutoPipelining: true});
const replies = new Redis({port});
const waiting = new Map();

async function hear() {
    for (;;) {
        const [, answers] = await replies.blmpop(0, 1, 'requests:reply:1', 'RIGHT', 'COUNT', open);
        for (const each of answers) {
            const {meta, body} = JSON.parse(each);
            waiting.get(meta.id)(body);
            waiting.delete(meta.id);
        }
    }
}

let last = 0;
const ask = (message) => new Promise((resolve, reject) => {
    const id = String(++last);
    waiting.set(id, resolve);
    redis.lpush('requests', JSON.stringify({meta: {id, reply: 'requests:reply:1'}, message})).catch(reject);
});

hear();
keepOpen(ask, open);
