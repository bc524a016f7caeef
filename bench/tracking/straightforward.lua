-- What one would write at first: the commands of the documented way, one after the other, for a batch in one script.
local batch = redis.call('RPOP', KEYS[1], ARGV[1])
if not batch then
    return 0
end
local now = redis.call('TIME')
for i = 2, #KEYS do
    redis.call('LPUSH', KEYS[i], unpack(batch))
end
for _, message in ipairs(batch) do
    local id = redis.call('INCR', 'ns:message:id')
    if redis.call('LLEN', 'ns:message:ids') < 100000000 and redis.call('EXISTS', 'ns:message:' .. id) == 0 then
        local xid = redis.sha1hex(message)
        redis.call('LPUSH', 'ns:message:ids', id)
        redis.call('ZADD', 'ns:message:deadlines', now[1] * 1000 + 3600000, id)
        redis.call('HSET', 'ns:message:' .. id, 'timestamp', now[1], 'xid', xid, 'deadline', now[1] + 3600, 'service', 1)
        redis.call('EXPIRE', 'ns:message:' .. id, 7200)
        redis.call('HSET', 'ns:message:xid:' .. xid, 'id', id, 'type', 'sha1')
        redis.call('EXPIRE', 'ns:message:xid:' .. xid, 7200)
    end
end
return #batch
