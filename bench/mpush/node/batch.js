// What one would write in ten lines: a batch script in a loop.
const Redis = require('ioredis');
const [port, ...outs] = process.argv.slice(2);
const client = new Redis(Number(port), '127.0.0.1');
client.defineCommand('batch', {lua: `
    local batch = redis.call('RPOP', KEYS[1], 1000)
    if not batch then return 0 end
    for i = 2, #KEYS do redis.call('LPUSH', KEYS[i], unpack(batch)) end
    return #batch`});
(async () => {
    for (;;) if (!await client.batch(outs.length + 1, 'in', ...outs)) await new Promise((done) => setTimeout(done, 1));
})();
