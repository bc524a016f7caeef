#!lua flags=allow-oom
--- @doc Counts one more against a limit that is shared, and says whether it is within.
--- @key counter
--- @arg whole limit      in a period
--- @arg whole period     milliseconds; 0: it never ends
--- @arg whole burst      0: a fixed window, in which what is refused counts, too; else a bucket of so many tokens
--- @returns flag admitted
--- @include server_time
--- @include may
local denied = burst == 0 and may('INCR', counter) or burst ~= 0 and (may('HSET', counter, 'tokens', '') or may('HMGET', counter, 'tokens'))
    or may('PEXPIRE', counter, '1')
if denied then
    return denied
end
if burst == 0 then
    local count = redis.call('INCR', counter)
    if count == 1 and period > 0 then
        redis.call('PEXPIRE', counter, period)
    end
    return {count <= limit and 1 or 0}
end
local now = server_milliseconds()
local known = redis.call('HMGET', counter, 'tokens', 'seen')
local tokens, seen = tonumber(known[1]) or burst, tonumber(known[2]) or now
tokens = math.min(burst, tokens + math.max(0, now - seen) * limit / period)
local admitted = tokens >= 1
redis.call('HSET', counter, 'tokens', string.format('%.6f', admitted and tokens - 1 or tokens), 'seen', string.format('%.0f', now))
redis.call('PEXPIRE', counter, math.ceil(burst * period / limit) + 1000)
return {admitted and 1 or 0}
