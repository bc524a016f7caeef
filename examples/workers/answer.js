// Answers requests of leat mdispatch, and of a router's RedisExporter:  node answer.js WORKERS [URL]    npm install redis@5
const {createClient} = require('redis');

(async () => {
    const [workers, url = 'redis://localhost:6379/0'] = process.argv.slice(2);
    const db = await createClient({url}).connect();
    const hand = `${workers}:answer.js`; // what we have in hand is there; when we die, the next start of us answers it
    for (;;) {
        const text = (await db.lIndex(hand, -1)) ?? (await db.blMove(workers, hand, 'RIGHT', 'LEFT', 5));
        if (text === null) continue;
        const {meta, body} = JSON.parse(text);
        const answer = {meta: {id: meta.id}, body: body.toUpperCase()}; // the work
        await db.multi().lPush(meta.reply, JSON.stringify(answer)).lRem(hand, -1, text).exec();
    }
})();
