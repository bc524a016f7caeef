#!lua flags=no-writes
--- @doc Looks for a message with this external id in a part of a list, from the oldest on.
--- @key list
--- @arg text xid
--- @arg whole first        how many of the oldest to skip
--- @arg whole max_count
--- @returns whole looked   messages that were looked at
--- @returns whole place    how many are before it; -1: it is not among these
--- @returns whole length   of the list
--- @include list_length
--- @include xid_of
local length, wrong = list_length(list)
if wrong then
    return wrong
end
local looked, bytes = 0, 0
while looked < max_count and first + looked < length and bytes < 4194304 do
    local step = math.min(16, max_count - looked)
    local part = redis.call('LRANGE', list, -(first + looked + step), -(first + looked + 1))
    for i = #part, 1, -1 do
        bytes = bytes + #part[i]
        if xid_of(part[i]) == xid then
            return {looked + 1, first + looked, length}
        end
        looked = looked + 1
    end
end
return {looked, -1, length}
