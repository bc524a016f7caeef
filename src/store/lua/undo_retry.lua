#!lua flags=allow-oom
--- @doc Takes back a retry that was handed over, when its message was certainly not delivered: the attempt is not counted.
--- @object message_keys keys
--- @key keys.deadlines     sorted set of message ids, or runs of them, by milliseconds
--- @key keys.retries       sorted set of those that wait to be delivered again
--- @key keys.message(id)   hash of the message
--- @arg text keys.metrics  prefix of the metrics' keys
--- @arg text id
--- @returns flag done      it waits again; else it has ended in between
--- @include server_time
--- @include numbers
--- @include may
local denied = may('ZREM', deadlines, id) or may('HMGET', message, 'attempts') or may('HSET', message, 'attempts', '1')
    or may('ZADD', retries, '0', id)
if denied then
    return denied
end
local now = server_milliseconds()
if redis.call('ZREM', deadlines, id) == 0 then
    return {0}
end
local known = redis.call('HMGET', message, 'attempts', 'times')
redis.call('HSET', message, 'attempts', (tonumber(known[1]) or 2) - 1, 'times',
    (string.gsub(known[2] or '', ' %d+$', '')))
redis.call('ZADD', retries, whole(now + 1000), id)
redis.pcall('HINCRBY', metrics .. 'retry', 'count', -1)
return {1}
