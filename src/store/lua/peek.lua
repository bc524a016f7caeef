#!lua flags=no-writes
--- @doc Messages of a list without taking them, oldest first, and the stories of those that are dead.
--- @key list
--- @key story              hash by digest
--- @arg whole first        how many of the oldest to skip
--- @arg whole max_count
--- @arg whole max_bytes    stop when so many were read; one is always shown
--- @returns whole length   of the list
--- @returns texts shown    for each the message, and its story or nothing
--- @include list_length
local length, wrong = list_length(list)
if wrong then
    return wrong
end
local shown, count, bytes, largest = {}, 0, 0, 65536
while count < max_count and first + count < length and bytes < max_bytes do
    -- As many at a time as should fit, by the largest that was met.
    local step = math.max(1, math.min(max_count - count, 100, math.floor((max_bytes - bytes) / largest)))
    local from = first + count
    local part = redis.call('LRANGE', list, -(from + step), -(from + 1))
    if #part == 0 then
        break
    end
    largest = 1
    for i = #part, 1, -1 do
        local message = part[i]
        if count > 0 and bytes + #message > max_bytes then
            return {length, shown}
        end
        local known = redis.pcall('HGET', story, redis.sha1hex(message))
        shown[#shown + 1], shown[#shown + 2] = message, type(known) == 'string' and known or ''
        count, bytes, largest = count + 1, bytes + #message, math.max(largest, #message)
    end
end
return {length, shown}
