--- @include bridge_group
-- Returns CANCELLED, or NOT_FOUND; CONFLICT when the request is another conversation's.
local function cancel(conversation, id, group, reason)
    local request = requests .. id
    local known = call('HMGET', request, 'conversationId', 'requestTimestamp', 'status')
    if not known[1] then
        return 'NOT_FOUND', 0, ''
    elseif conversation ~= '' and known[1] ~= conversation then
        return 'CONFLICT', 0, 'the request belongs to another conversation'
    elseif known[3] == 'CANCEL' then
        return 'CANCELLED', 0, '0'
    end
    local key = conversation_key(known[1])
    call('ZCARD', key) -- a wrong type is found before the first write
    local gone = cancel_group(key, request, tonumber(known[2]), group, reason)
    count('requestsCancelled')
    meet_head(known[1], key)
    return 'CANCELLED', 0, tostring(gone)
end
