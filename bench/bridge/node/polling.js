// The document to the letter: what comes is stored by plain commands and put into a queue in memory; every INTERVAL up to
// CONCURRENT * FACTOR of it are validated against Redis, and what can go is sent, CONCURRENT at a time.
const {randomUUID} = require('crypto');
const Redis = require('ioredis');
const {ready, tell, message} = require('../../mpush/node/go');
const {Ledger, keysOf, PENDING} = require('./ledger');

const [port, conversations, replies, size, count] = process.argv.slice(2).map(Number);
const INTERVAL = 200, CONCURRENT = 25, FACTOR = 2, MESSAGE_TTL = 10000, AWAITED_MESSAGE_TTL = 900000, MAX_PENDING_TTL = 30000;
const redis = new Redis({port});
const ledger = new Ledger(conversations, replies);
let queue = [];

async function give() {
    const {request, conversation, score, id} = ledger.nextRequest();
    const name = ledger.ids[conversation], now = Date.now(), first = keysOf(name, id, '');
    await redis.hset(first.request, 'conversationId', name, 'origin', 'bench', 'requestId', id, 'requestTimestamp', now,
        'status', 'WAITING', 'responseIdCounter', 0);
    await redis.pexpire(first.request, AWAITED_MESSAGE_TTL);
    await redis.rpush(first.list, first.request);
    await redis.pexpire(first.list, AWAITED_MESSAGE_TTL);
    for (let reply = 0; reply < replies; ++reply) {
        const response = randomUUID(), keys = keysOf(name, id, response), came = performance.now();
        await redis.hset(keys.response, 'conversationId', name, 'origin', 'bench', 'requestId', id, 'responseId', response,
            'requestTimestamp', now, 'responseTimestamp', Date.now(), 'status', 'PENDING', 'taskItem', message(request, size));
        await redis.pexpire(keys.response, AWAITED_MESSAGE_TTL);
        await redis.zadd(keys.key, score + reply / 4096, keys.member);
        await redis.zadd(PENDING, now + MAX_PENDING_TTL, keys.member);
        queue.push({keys, request, reply, came});
    }
}

// The first request of the conversation is its own, it is the first response, and its hash is there.
async function canGo({keys}) {
    const request = await redis.lindex(keys.list, 0);
    if (request !== keys.request) return false;
    const [head] = await redis.zrange(keys.key, 0, 0);
    return head === keys.member && await redis.exists(keys.response) === 1;
}

async function send({keys, request, reply, came}) {
    ledger.note(request, reply, came);
    await redis.hset(keys.response, 'status', 'SENT');
    await redis.del(keys.response);
    await redis.zrem(keys.key, keys.member);
    await redis.zrem(PENDING, keys.member);
    if (reply + 1 === replies) {
        await redis.lpop(keys.list);
        await redis.del(keys.request);
    }
}

async function tick() {
    const chosen = queue.splice(0, CONCURRENT * FACTOR), kept = [];
    const one = async () => {
        for (let task = chosen.shift(); task; task = chosen.shift()) {
            if (await canGo(task)) await send(task);
            else kept.push(task);
        }
    };
    await Promise.all(Array.from({length: CONCURRENT}, one));
    queue = kept.sort((left, right) => left.request - right.request || left.reply - right.reply).concat(queue);
}

async function run(requests) {
    let left = requests;
    const giving = (async () => {
        for (; left > 0; --left) await give();
    })();
    while (left > 0 || queue.length > 0) {
        const began = performance.now();
        await tick();
        await new Promise((resolve) => { setTimeout(resolve, Math.max(0, INTERVAL - (performance.now() - began))); });
    }
    await giving;
}

(async () => {
    await run(50);
    await ready();
    const began = performance.now(), before = ledger.arrived;
    await run(count);
    tell(ledger.sum(before, (performance.now() - began) / 1000));
})();
