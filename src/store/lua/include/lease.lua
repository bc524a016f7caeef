--- @include whole
--- @include may
-- A taker's lease is a hash, `token`, `call` and `last`, and its row in `owners`, by when it ends. Every call has the number after
-- `call`, so that one which comes twice, or late from a lost connection, does nothing; `last` is the last that was done.
-- Returns 0: go on, 1: not the next call, 2: the lease is another's or gone; or nil and the error.
local function meet_lease(lease, owners, token, call)
    local held = redis.pcall('HMGET', lease, 'token', 'call')
    if held.err then
        return nil, redis.error_reply(held.err .. ' key=' .. lease)
    end
    local size = redis.pcall('ZCARD', owners)
    if type(size) == 'table' then
        return nil, redis.error_reply(size.err .. ' key=' .. owners)
    end
    local denied = may({{'HSET', lease, 'call', '1'}, {'ZADD', owners, '1', '1'}})
    if denied then
        return nil, denied
    end
    if held[1] ~= token then
        return 2
    end
    return tonumber(held[2]) == call - 1 and 0 or 1
end

local function keep_lease(lease, owners, id, call, ends)
    redis.pcall('HSET', lease, 'call', whole(call), 'last', whole(call))
    redis.pcall('ZADD', owners, whole(ends), id)
end

-- Milliseconds until the first row of a sorted set is due, at most an hour; 0: it is, -1: there is none.
local function until_first(index, now)
    local first = redis.pcall('ZRANGE', index, 0, 0, 'WITHSCORES')
    return first[2] and math.min(3600000, math.max(0, math.ceil(tonumber(first[2]) - now))) or -1
end
