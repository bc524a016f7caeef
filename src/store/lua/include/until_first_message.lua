--- @include numbers
-- Milliseconds until the first message of a sorted set is due, or fewer, down to a quarter: whoever then forwards asks again. 0: it is
-- due, -1: there is none. A message may have many megabytes, so that only dates are asked for.
local function until_first_message(delayed, now)
    local size = redis.pcall('ZCARD', delayed)
    if type(size) ~= 'number' or size == 0 then
        return -1
    end
    if redis.pcall('ZCOUNT', delayed, '-inf', whole(now)) ~= 0 then
        return 0
    end
    local after = 32
    while after < 3600000 and redis.pcall('ZCOUNT', delayed, '-inf', whole(now + after)) == 0 do
        after = 4 * after
    end
    return math.min(3600000, after / 4)
end
