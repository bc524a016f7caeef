// The algorithm that mpush-redis documents: BRPOPLPUSH, then MULTI of LPUSH to every out and LREM; one message at a time.
const {createClient} = require('redis');

const [port, ...outs] = process.argv.slice(2);

(async () => {
    const client = createClient({socket: {host: '127.0.0.1', port: Number(port)}});
    await client.connect();
    for (;;) {
        const message = await client.brPopLPush('in', 'pending', 1);
        if (message === null) continue;
        const multi = client.multi();
        for (const out of outs) multi.lPush(out, message);
        multi.lRem('pending', -1, message);
        await multi.exec();
    }
})();
