// Takes a message into `pending`, does nothing with it, removes it; counts as leat does, so that the harness can.
const Redis = require('ioredis');

const redis = new Redis({port: Number(process.argv[2]), maxRetriesPerRequest: null});
(async () => {
    for (;;) {
        const message = await redis.blmove('in', 'pending', 'RIGHT', 'LEFT', 1);
        if (message !== null) {
            await redis.pipeline().lrem('pending', -1, message).hincrby('ns:metrics:settled', 'count', 1).exec();
        }
    }
})();
