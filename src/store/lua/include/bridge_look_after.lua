--- @include bridge_dates
--- @include bridge_head
--- @include bridge_keys
--- @include bridge_ledger
--- @include bridge_life
--- @include bridge_meet
--- @include bridge_removal
--- @include redis_call
-- Looks after a response that is due.

-- One that is not the first of its conversation, or the first that still waits: after the time that a response may be pending it
-- is awaited, and looked at again when its life ends. Who was never tried lives on, for it will be, but when nobody was there.
local function pass_over(bridge, member, conversation, key, hash, request, is_first)
    local fields = call('HMGET', hash, 'status', 'responseTimestamp', 'sentAttempt', 'expiresAtTS', 'origin', 'more', 'fence')
    if fields[1] == 'PENDING' and bridge.now - tonumber(fields[2] or 0) >= bridge.rules.pending_ttl then
        call('HSET', hash, 'status', 'AWAITED', 'awaitedFor', 'order')
    end
    if fields[1] ~= 'SENT' then -- it may live longer than was thought, or be of a version that let it expire
        for _, each in ipairs({hash, key, key .. ':req', request}) do
            extend(each, bridge.kept)
        end
    end
    if is_first then
        return
    end
    local _, response = ids_of(member)
    local it = {key = key, conversation = conversation, member = member, hash = hash, own_request = request, response = response, is = 'WAIT_RESPONSE',
        status = fields[1], attempts = tonumber(fields[3]) or 0, ends = life_end(fields[4]), origin = fields[5], more = fields[6] == '1',
        token_lost = fields[7] ~= '0' and tonumber(fields[7]) or nil}
    if it.status == 'SENT' then
        it.is = 'WAIT_ACK' -- Redis ends that itself
    end
    local fate = end_or_keep(bridge, it, false)
    if fate == 'END' then
        return expire(bridge, it)
    elseif fate == 'DRAIN' or it.is == 'WAIT_ACK' then
        return due_at(bridge, member, bridge.now + (fate and 2000 or 500))
    end
    due_at(bridge, member, it.ends > bridge.now and it.ends or bridge.now + bridge.rules.awaited_ttl)
end

-- `met`: the heads of the conversations that this call has met.
local function look_after(bridge, member, met)
    local request_id, response, conversation = ids_of(member)
    if not response then
        call('ZREM', bridge.pending, member)
        return
    end
    local key, hash = conversation_key(bridge.prefix, conversation), bridge.responses .. response
    if not met[conversation] then
        met[conversation] = meet_head(bridge, conversation, key)
    end
    if not call('ZSCORE', bridge.pending, member) then
        return -- it was met
    end
    local request = bridge.requests .. request_id
    local owner_of = call('HMGET', hash, 'conversationId', 'requestId')
    local is_there = owner_of[1] == conversation and owner_of[2] == request_id -- else the id is another's by now
    if not is_there or not call('ZSCORE', key, member) then
        local known = call('HMGET', request, 'sent', 'origin', 'moreTo')
        call('ZREM', bridge.pending, member)
        take_out(bridge, key, member, request, announced(bridge.now, known[3]))
        if is_there then
            call('DEL', hash)
        end
        tell(bridge, known[1] == response and 'no-ack' or 'expired', member, known[2])
    elseif met[conversation].member ~= member then
        pass_over(bridge, member, conversation, key, hash, request, false)
    elseif met[conversation].is ~= 'CLAIMED' then
        pass_over(bridge, member, conversation, key, hash, request, true)
    end
end
