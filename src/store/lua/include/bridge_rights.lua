--- @include may
-- Whatever is done to a conversation, this user must be allowed all of it, reading too: found out before the first write. HMGET and
-- ZCARD are given before. nil, or the error.
local function may_serve(bridge)
    local requests, responses, pending = bridge.requests, bridge.responses, bridge.pending
    local some = bridge.prefix .. 'c' -- as every conversation
    local list, lock = some .. ':req', some .. ':lock'
    return may('HSET', bridge.state_key, '', '') or may('HSET', requests, '', '') or may('HDEL', requests, '')
        or may('PEXPIRE', responses, '1') or may('DEL', pending, requests, responses, bridge.names, some, lock)
        or may('SET', lock, '') or may('ZADD', pending, '0', '') or may('ZREM', some, '') or may('RPUSH', list, '')
        or may('LPOP', list) or may('RPOP', list) or may('LREM', list, '0', '') or may('GET', lock) or may('EXISTS', requests)
        or may('HGET', responses, '') or may('LINDEX', list, '0') or may('LLEN', list) or may('LRANGE', list, '0', '0')
        or may('ZRANGE', some, '0', '0') or may('ZSCORE', some, '') or may('PEXPIRETIME', requests)
end
