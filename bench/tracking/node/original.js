// The algorithm that mpush-redis documents, with tracking: BRPOPLPUSH; INCR; MULTI of TIME, LLEN, EXISTS; MULTI of the hashes with
// their expiry; MULTI of LPUSH to every out and LREM. One message at a time.
const {createHash} = require('crypto');
const {createClient} = require('redis');

const [port, ...outs] = process.argv.slice(2);
const key = (name) => `ns:message:${name}`;

async function register(client, message) {
    const id = await client.incr(key('id'));
    const [time, length, exists] = await client.multi().time().lLen(key('ids')).exists(key(id)).exec();
    if (exists || length > 100000000) return;
    const timestamp = Math.floor(Number(time instanceof Date ? time / 1000 : time[0]));
    const xid = /^[0-9]+$/.test(message) ? message : createHash('sha1').update(message).digest('hex');
    await client.multi().lPush(key('ids'), String(id))
        .hSet(key(id), {timestamp, xid, deadline: timestamp + 3600, service: 1}).expire(key(id), 7200)
        .hSet(key(`xid:${xid}`), {id, type: 'sha1'}).expire(key(`xid:${xid}`), 7200).exec();
}

(async () => {
    const client = createClient({socket: {host: '127.0.0.1', port: Number(port)}});
    await client.connect();
    for (;;) {
        await client.exists('ns:service:1');
        const message = await client.brPopLPush('in', 'pending', 1);
        if (message === null) continue;
        await register(client, message);
        const multi = client.multi();
        for (const out of outs) multi.lPush(out, message);
        multi.lRem('pending', -1, message);
        await multi.exec();
    }
})();
