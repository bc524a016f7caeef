// The configuration of the original's README: `leat mpush demo.js`.
module.exports = {
   redis: 'redis://localhost:6379/0',
   serviceRedis: 'redis://localhost:6379/1',
   serviceNamespace: 'demo:mpush',
   popTimeout: 10,
   in: 'demo:mpush:in',
   pending: 'demo:mpush:pending',
   out: ['demo:mpush:out0', 'demo:mpush:out1'],
   done: 'demo:mpush:done'
};
