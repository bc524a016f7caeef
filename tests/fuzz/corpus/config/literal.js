// a
module.exports = {kind: 'router', configs: {'RedisExporter.a': {queue: {out: `x`}}}, /* b */};
