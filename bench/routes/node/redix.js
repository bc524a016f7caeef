// A route through three filters as Redix' documentation shows it: an importer, one message at a time, chained promises.
const assert = require('assert');
const util = require('util');
const {createClient} = require('redis');

class Redix {
    constructor() {
        this.processors = new Map();
    }

    async import(message, meta, options) {
        const importer = options.processorName;
        meta.expires = new Date().getTime() + options.timeout;
        const promise = this.dispatch(message, meta, options.route);
        return new Promise((resolve, reject) => {
            promise.then(resolve, reject);
            setTimeout(() => {
                reject({
                    name: 'Timeout',
                    message: util.format('%s timeout (%dms)', importer, options.timeout)
                });
            }, options.timeout);
        });
    }

    async dispatch(message, meta, route) {
        const nextProcessorName = route[0];
        const nextProcessor = this.processors.get(nextProcessorName);
        assert(nextProcessor, 'nextProcessor: ' + nextProcessorName);
        return nextProcessor.process(message, meta, route.slice(1));
    }
}

const redix = new Redix();

class RateLimitFilter {
    constructor(config) {
        this.config = config;
        this.count = 0;
    }

    async process(message, meta, route) {
        this.count += 1;
        if (this.count > this.config.limit) {
            throw {message: 'Limit exceeded'};
        } else {
            return redix.dispatch(message, meta, route);
        }
    }
}

class ExpiredFilter {
    async process(message, meta, route) {
        if (meta.expires <= new Date().getTime()) {
            throw {message: 'Expired message'};
        }
        return redix.dispatch(message, meta, route);
    }
}

class DurationMonitor {
    constructor() {
        this.count = this.sum = 0;
    }

    async process(message, meta, route) {
        const began = new Date().getTime();
        return redix.dispatch(message, meta, route).then((reply) => {
            this.count += 1;
            this.sum += new Date().getTime() - began;
            return reply;
        });
    }
}

class RedisExporter {
    constructor(redis, config) {
        this.redis = redis;
        this.config = config;
    }

    async process(message) {
        await this.redis.lPush(this.config.queue.out, message);
    }
}

class RedisImporter {
    constructor(redis, config) {
        this.redis = redis;
        this.config = config;
        this.messageId = 0;
    }

    async pop() {
        const message = await this.redis.brPopLPush(this.config.queue.in, this.config.queue.pending, 1);
        if (message === null) return;
        const messageId = this.messageId += 1;
        try {
            await redix.import(message, {messageId}, this.config); // there is no queue for replies
            this.removePending(message);
        } catch (err) {
            await this.redis.lPush(this.config.queue.error, message);
            throw err;
        }
    }

    removePending(message) {
        this.redis.lRem(this.config.queue.pending, -1, message);
    }
}

(async () => {
    const redis = createClient({socket: {host: '127.0.0.1', port: Number(process.argv[2])}});
    await redis.connect();
    redix.processors.set('RateLimitFilter.singleton', new RateLimitFilter({limit: 1e9}));
    redix.processors.set('ExpiredFilter.singleton', new ExpiredFilter());
    redix.processors.set('DurationMonitor.singleton', new DurationMonitor());
    redix.processors.set('RedisExporter.singleton', new RedisExporter(redis, {queue: {out: 'out0'}}));
    const importer = new RedisImporter(redis, {
        processorName: 'RedisImporter.singleton',
        queue: {in: 'in', pending: 'pending', error: 'error'},
        timeout: 8000,
        route: ['RateLimitFilter.singleton', 'ExpiredFilter.singleton', 'DurationMonitor.singleton', 'RedisExporter.singleton']
    });
    for (;;) await importer.pop();
})();
