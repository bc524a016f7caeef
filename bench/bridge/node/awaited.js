// The flow of the document, with no lease and nothing for crashes: ten commands for a message with one reply, each awaited before
// the next, 25 messages at a time. (The removal from two further keys is not awaited, so that these do not grow.)
const {randomUUID} = require('crypto');
const Redis = require('ioredis');
const {ready, tell, message} = require('../../mpush/node/go');
const {Ledger, keysOf, PENDING} = require('./ledger');

const [port, conversations, replies, size] = process.argv.slice(2).map(Number);
const TASKS = 25, MESSAGE_TTL = 10000, MAX_PENDING_TTL = 30000;
const redis = new Redis({port});
const ledger = new Ledger(conversations, replies);
const last = new Map(); // of each conversation, the promise of what is before

async function register(keys, conversation, id, now) {
    await redis.hset(keys.request, 'conversationId', conversation, 'origin', 'bench', 'requestId', id, 'requestTimestamp', now,
        'status', 'WAITING');
    await redis.pexpire(keys.request, MESSAGE_TTL);
    await redis.rpush(keys.list, keys.request);
    await redis.pexpire(keys.list, MESSAGE_TTL);
}

async function respond(keys, conversation, id, response, now, score, body) {
    await redis.hset(keys.response, 'conversationId', conversation, 'origin', 'bench', 'requestId', id, 'responseId', response,
        'requestTimestamp', now, 'responseTimestamp', Date.now(), 'status', 'PENDING', 'taskItem', body);
    await redis.zadd(keys.key, score, keys.member);
    await redis.zadd(PENDING, now + MAX_PENDING_TTL, keys.member);
}

async function deliver(keys, request, reply, came) {
    const [head] = await redis.zrange(keys.key, 0, 0);
    if (head !== keys.member) throw new Error('another is first');
    ledger.note(request, reply, came); // the send
    if (reply + 1 === replies) {
        await redis.del(keys.response, keys.request);
        redis.lpop(keys.list);
    } else {
        await redis.del(keys.response);
    }
    await redis.zrem(keys.key, keys.member);
    redis.zrem(PENDING, keys.member);
}

async function exchange() {
    const {request, conversation, score, id} = ledger.nextRequest();
    const before = last.get(conversation);
    let over;
    last.set(conversation, new Promise((resolve) => { over = resolve; }));
    const name = ledger.ids[conversation], now = Date.now();
    await register(keysOf(name, id, ''), name, id, now);
    const given = [];
    for (let reply = 0; reply < replies; ++reply) {
        const response = randomUUID(), keys = keysOf(name, id, response), came = performance.now();
        await respond(keys, name, id, response, now, score + reply / 4096, message(request, size));
        given.push({keys, came});
    }
    await before; // what is first is known in this process
    for (let reply = 0; reply < replies; ++reply) await deliver(given[reply].keys, request, reply, given[reply].came);
    over();
}

async function run(milliseconds) {
    const end = performance.now() + milliseconds;
    const one = async () => {
        while (performance.now() < end) await exchange();
    };
    await Promise.all(Array.from({length: TASKS}, one));
}

(async () => {
    await run(700); // code is compiled
    await ready();
    const began = performance.now(), before = ledger.arrived;
    await run(2000);
    tell(ledger.sum(before, (performance.now() - began) / 1000));
})();
