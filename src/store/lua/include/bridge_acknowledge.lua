--- @include bridge_fail
--- @include bridge_group
--- @include bridge_keys
--- @include bridge_ledger
--- @include bridge_meet
--- @include bridge_removal
--- @include numbers
--- @include redis_call
-- An acknowledgement: s, r or f. Returns DELIVERED, AWAITED or CANCELLED; EARLY when nothing was sent under this name (yet), LATE when it
-- is over with, CONFLICT when it is another origin's.
local function acknowledge(bridge, by, name, outcome, reason)
    local mark = bridge.names .. name
    local member = call('GET', mark)
    if not member or string.match(member, '^N?ACK[rf]?:') then
        local word = outcome == 's' and 'ACK:' .. by or 'NACK' .. outcome .. ':' .. by .. '\n' .. reason
        call('SET', mark, word, 'NX', 'PX', whole(bridge.rules.sent_ttl))
        count(bridge, 'ackUnmatched')
        return 'EARLY', 0, ''
    end
    local request_id, response, conversation = ids_of(member)
    if not response then
        return 'LATE', 0, ''
    end
    local key = conversation_key(bridge.prefix, conversation)
    local hash, request = bridge.responses .. response, bridge.requests .. request_id
    local fields = call('HMGET', hash, 'status', 'origin', 'requestTimestamp', 'sentAttempt', 'awaitedRetries', 'more')
    if fields[1] and by ~= '' and by ~= fields[2] then
        return 'CONFLICT', 0, 'it was sent to another origin'
    end
    if fields[1] ~= 'SENT' then
        call('DEL', mark)
        count(bridge, 'ackLate')
        return 'LATE', 0, ''
    end
    local state = 'DELIVERED'
    if outcome == 's' then
        forget(bridge, key, member, hash, request, fields[6] == '1')
        tell(bridge, 'delivered', member, fields[2])
    elseif outcome == 'r' then
        state = fail(bridge, key, member, tonumber(fields[3]), tonumber(fields[4]) or 1, tonumber(fields[5]) or 0, reason)
    else
        cancel_group(bridge, key, request, tonumber(fields[3]), group_of(member), reason)
        state = 'CANCELLED'
    end
    call('DEL', mark)
    meet_head(bridge, conversation, key)
    return state, 0, ''
end
