--- @include bridge_group
--- @include bridge_keys
--- @include bridge_ledger
--- @include bridge_meet
--- @include redis_call
-- Returns CANCELLED, or NOT_FOUND; CONFLICT when the request is another conversation's.
local function cancel(bridge, conversation, id, group, reason)
    local request = bridge.requests .. id
    local known = call('HMGET', request, 'conversationId', 'requestTimestamp', 'status')
    if not known[1] then
        return 'NOT_FOUND', 0, ''
    elseif conversation ~= '' and known[1] ~= conversation then
        return 'CONFLICT', 0, 'the request belongs to another conversation'
    elseif known[3] == 'CANCEL' then
        return 'CANCELLED', 0, '0'
    end
    local key = conversation_key(bridge.prefix, known[1])
    call('ZCARD', key) -- a wrong type is found before the first write
    local gone = cancel_group(bridge, key, request, tonumber(known[2]), group, reason)
    count(bridge, 'requestsCancelled')
    meet_head(bridge, known[1], key)
    return 'CANCELLED', 0, tostring(gone)
end
