// A worker of mdispatch: takes up to so many requests at a time, and answers each with its message.
const Redis = require('ioredis');

const [port, most] = process.argv.slice(2).map(Number);
const redis = new Redis({port, enableAutoPipelining: true});
const work = new Redis({port});

(async () => {
    for (;;) {
        const [, requests] = await work.blmpop(0, 1, 'work', 'RIGHT', 'COUNT', most);
        for (const each of requests) {
            const {meta, body} = JSON.parse(each);
            redis.lpush(meta.reply, JSON.stringify({meta: {id: meta.id}, body: JSON.parse(body).message}));
        }
    }
})();
