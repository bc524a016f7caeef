#!lua flags=no-writes
--- @doc Looks for a message with this external id in a part of a list, from the oldest on, or of what waits for another try.
--- @key list               a list; or a sorted set of delayed messages, each with a number before it
--- @arg text xid
--- @arg whole first        how many to skip
--- @arg whole max_count
--- @returns whole looked   messages that were looked at
--- @returns whole place    how many are before it; -1: it is not among these
--- @returns whole length   of the list
--- @include limits
--- @include sizes
--- @include delayed_message
--- @include xid_of
local is_delayed = redis.call('TYPE', list).ok == 'zset'
local length, wrong
if is_delayed then
    length = redis.call('ZCARD', list)
else
    length, wrong = list_length(list)
end
if wrong then
    return wrong
end
-- The oldest of a list is at its right end, the next to be due of a sorted set at its left.
local function part_of(from, count)
    if is_delayed then
        return redis.call('ZRANGE', list, from, from + count - 1)
    end
    local part, turned = redis.call('LRANGE', list, -(from + count), -(from + 1)), {}
    for i = #part, 1, -1 do
        turned[#turned + 1] = part[i]
    end
    return turned
end
local looked, cost, step, largest = 0, 0, 0.25, 1
while looked < max_count and first + looked < length and cost < most_bytes do
    step = math.max(1, math.min(step * 4, 64, max_count - looked, math.floor((most_bytes - cost) / largest)))
    for _, message in ipairs(part_of(first + looked, step)) do
        local is_json = string.find(message, '^%s*{')
        cost = cost + 100 + #message * (is_json and 10 or 1) -- to parse costs more than to hash
        largest = math.max(largest, #message)
        if xid_of(is_delayed and delayed_message(message) or message) == xid then
            return {looked + 1, first + looked, length}
        end
        looked = looked + 1
    end
end
return {looked, -1, length}
