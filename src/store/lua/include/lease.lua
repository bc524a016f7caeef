--- @include numbers
--- @include may
--- @include errors
--- @include sizes
-- A consumer's lease is a hash, `token`, `call` and `last`, and its row in `owners`, by when it ends. Every call has the number after
-- `call`, so that one which comes twice, or late from a lost connection, does nothing; `last` is the last that was done.
-- Returns 'done' (go on), 'not_next', or 'lease_lost'; or nil and the error.
local function meet_lease(lease, owners, token, call)
    local held = redis.pcall('HMGET', lease, 'token', 'call')
    if held.err then
        return nil, may('HMGET', lease, 'token') or error_at(lease, held)
    end
    local wrong = wrong_size('ZCARD', owners) or may('HSET', lease, 'call', '1') or may('ZADD', owners, '1', '1')
        or may('ZRANGE', owners, '0', '0')
    if wrong then
        return nil, wrong
    end
    if held[1] ~= token then
        return 'lease_lost'
    end
    return tonumber(held[2]) == call - 1 and 'done' or 'not_next'
end

local function keep_lease(lease, owners, id, call, ends)
    redis.pcall('HSET', lease, 'call', whole(call), 'last', whole(call))
    redis.pcall('ZADD', owners, whole(ends), id)
end
