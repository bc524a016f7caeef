// A worker of leat in Node: takes messages of one out, works on each, and reports it done.
//   node worker.js NAMESPACE OUT [URL]        npm install redis@5
const {createHash} = require('crypto');
const {createClient} = require('redis');

// The id that a message brings along, as leat finds it: a number, meta.id of a JSON object, else its SHA1.
function xidOf(message) {
    if (/^[0-9]{1,256}$/.test(message)) return message;
    try {
        const id = JSON.parse(message).meta.id;
        // A number with more digits than JavaScript has would need a parser that keeps them.
        const text = typeof id === 'number' ? String(id) : id;
        if (typeof text === 'string' && text !== '' && Buffer.byteLength(text) <= 256) return text;
    } catch {}
    return createHash('sha1').update(message).digest('hex');
}

async function work(message) {
    console.log(message);
}

(async () => {
    const [namespace, out, url = 'redis://localhost:6379/0'] = process.argv.slice(2);
    const db = createClient({url});
    await db.connect();
    const hand = `${out}:worker.js`; // what we have in hand is there; nothing is lost when we die
    for (;;) {
        const message = (await db.lIndex(hand, -1)) ?? (await db.blMove(out, hand, 'RIGHT', 'LEFT', 5));
        if (message === null) continue;
        try {
            await work(message);
            const id = await db.hGet(`${namespace}:message:xid:${xidOf(message)}`, 'id');
            if (id) await db.lPush(`${namespace}:message:done`, `${id}:${out}`);
        } catch (reason) {
            console.error('failed:', reason.message); // not reported: after its timeout leat delivers it again, if it is set up to
        }
        await db.lRem(hand, -1, message);
    }
})();
