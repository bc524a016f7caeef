-- Milliseconds until a date, at most an hour; 0: it has come.
local function milliseconds_until(date, now)
    return math.min(3600000, math.max(0, math.ceil(date - now)))
end

-- ... until the first row of a sorted set is due; -1: there is none.
local function until_first(index, now)
    local first = redis.pcall('ZRANGE', index, 0, 0, 'WITHSCORES')
    return first[2] and milliseconds_until(tonumber(first[2]), now) or -1
end
