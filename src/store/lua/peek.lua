#!lua flags=no-writes
--- @doc Messages of a list without taking them, oldest first, and the stories of those that are dead.
--- @key list
--- @key story              hash by digest
--- @arg whole first        how many of the oldest to skip
--- @arg whole max_count
--- @arg whole max_bytes    stop before more than this; one is always shown
--- @arg whole largest      size of the largest message seen lately; 0: unknown
--- @returns whole length   of the list
--- @rows peeked_message shown (text message, text story) the story is JSON; empty: it has none
--- @include sizes
local length, wrong = list_length(list)
if wrong then
    return wrong
end
local has_stories = redis.pcall('EXISTS', story) == 1
local shown, count, bytes = {}, 0, 0
local step = largest > 0 and 256 or 1
-- Redis does not tell how large a message is before it is read: one at first, then four times as many each time, as far as
-- they should fit by the largest that was met.
while count < max_count and first + count < length and bytes < max_bytes do
    local fit = largest > 0 and math.floor((max_bytes - bytes) / largest) or 1
    step = math.max(1, math.min(step, max_count - count, fit))
    local from = first + count
    local part = redis.call('LRANGE', list, -(from + step), -(from + 1))
    for i = #part, 1, -1 do
        local message = part[i]
        largest = math.max(largest, #message)
        if count > 0 and bytes + #message > max_bytes then
            return {length, shown}
        end
        local known = has_stories and redis.pcall('HGET', story, redis.sha1hex(message))
        shown[#shown + 1] = message
        shown[#shown + 1] = type(known) == 'string' and known or ''
        count, bytes = count + 1, bytes + #message
    end
    if #part == 0 then
        break
    end
    step = step * 4
end
return {length, shown}
