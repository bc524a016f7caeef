// One stream, a consumer group per subscriber: pipelined XADD, XREADGROUP in batches, XACK.
const Redis = require('ioredis');
const {ready, tell, message} = require('./go');

const [port, countText, sizeText, ...groups] = process.argv.slice(2);
const count = Number(countText), size = Number(sizeText);
const connect = () => new Redis(Number(port), '127.0.0.1');

async function produce(client) {
    for (let at = 0; at < count; at += 200) {
        const pipe = client.pipeline();
        for (let i = 0; i < 200; i++) pipe.xadd('stream', '*', 'm', message(at + i, size));
        await pipe.exec();
    }
}

async function consume(client, group) {
    let seen = 0, ok = true;
    while (seen < count) {
        const found = await client.xreadgroup('GROUP', group, 'one', 'COUNT', 200, 'BLOCK', 1000, 'STREAMS', 'stream', '>');
        if (!found) continue;
        const entries = found[0][1];
        for (const [, fields] of entries) ok = fields[1] === message(seen++, size) && ok;
        await client.xack('stream', group, ...entries.map(([id]) => id));
    }
    return ok;
}

(async () => {
    const producer = connect();
    const consumers = groups.map(connect);
    for (const group of groups) await producer.xgroup('CREATE', 'stream', group, '0', 'MKSTREAM');
    await ready();
    const began = performance.now();
    const results = await Promise.all([produce(producer), ...groups.map((group, i) => consume(consumers[i], group))]);
    tell({messages: count, seconds: (performance.now() - began) / 1000, ok: results.slice(1).every(Boolean)});
})();
