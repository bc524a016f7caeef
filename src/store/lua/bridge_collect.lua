#!lua flags=allow-oom
--- @doc Looks after responses that are due: leases that ended, waits that are over, what has expired. No two callers get the same.
--- @key pending           sorted set of responses by when they are looked at again, in seconds
--- @arg text prefix       of all keys
--- @arg text owner        this instance
--- @arg text out          claimed responses are pushed to OUT:ORIGIN; empty: they are handed over
--- @arg text dead         list for what is cancelled; empty: none
--- @arg text source       list that responses come from, where what is cancelled can go again; empty: none
--- @arg whole room        most responses to claim
--- @arg whole message_ttl milliseconds that a request may wait for its first reply
--- @arg whole awaited_ttl likewise, life of a response
--- @arg whole pending_ttl likewise, length of a lease
--- @arg whole margin      likewise, what a sender leaves of its lease
--- @arg whole sent_ttl    likewise, for an acknowledgement
--- @arg whole dedup_ttl   likewise, that a closed request is remembered
--- @arg whole retry_base  likewise, the first pause before a retry; the n-th is n times as long
--- @arg whole capacity    most requests, and most responses, of a conversation; 0: no limit
--- @arg whole max_attempts sends after which a response is given up; 0: no limit
--- @arg whole events_max  about so many events are kept; 0: none is told
--- @arg whole most         how many to look at
--- @returns whole claimed  responses claimed by this call
--- @returns whole ready    responses that could go, but there was no room
--- @returns whole due      milliseconds until the first of pendingMessages is due; -1: none
--- @returns whole seen     how many were due, `most` at the most
--- @returns texts words    seven for each claim: MinMessageInfo, token, time, number, attempt, origin, taskItem; why a list of an origin was refused
--- @include bridge_claim
-- One that is not the first of its conversation, or the first that still waits: after the time that a response may be pending it
-- is awaited, and looked at again when its life ends. One that was never tried is looked at before, and lives on while others are
-- before it: each of them ends.
local function pass_over(member, key, hash, request, is_first)
    local fields = call('HMGET', hash, 'status', 'responseTimestamp', 'sentAttempt')
    if fields[1] == 'PENDING' and now - tonumber(fields[2] or 0) >= pending_ttl then
        call('HSET', hash, 'status', 'AWAITED', 'awaitedFor', 'order')
    end
    if is_first then
        return
    end
    local ends = call('PEXPIRETIME', hash)
    if fields[3] ~= '0' or ends < 0 then
        return due_at(member, ends > 0 and ends + 1 or now + awaited_ttl)
    elseif ends <= lease_end then
        call('PEXPIREAT', hash, digits(lease_end + pending_ttl))
        keep_place(key, request, lease_end + 2 * pending_ttl)
        return due_at(member, lease_end)
    end
    due_at(member, ends - pending_ttl)
end
local function look_after(member, met)
    local request, response, conversation = ids_of(member)
    if not response then
        call('ZREM', pending, member)
        return
    end
    local key, hash = conversation_key(conversation), responses .. response
    if not met[conversation] then
        met[conversation] = meet_head(conversation, key)
    end
    if not call('ZSCORE', pending, member) then
        return -- it was met
    end
    local owner_of = call('HMGET', hash, 'conversationId', 'requestId')
    local is_there = owner_of[1] == conversation and owner_of[2] == request -- else the id is another's by now
    if not is_there or not call('ZSCORE', key, member) then
        local known = call('HMGET', requests .. request, 'sent', 'origin', 'moreTo')
        call('ZREM', pending, member)
        take_out(key, member, requests .. request, announced(known[3]))
        if is_there then
            call('DEL', hash)
        end
        tell(known[1] == response and 'no-ack' or 'expired', member, known[2])
    elseif met[conversation].member ~= member then
        pass_over(member, key, hash, requests .. request, false)
    elseif met[conversation].is ~= 'CLAIMED' then
        pass_over(member, key, hash, requests .. request, true)
    end
end
local members = call('ZRANGE', pending, '-inf', string.format('%.3f', now / 1000), 'BYSCORE', 'LIMIT', 0, most)
local met = {}
for _, member in ipairs(members) do
    local done = pcall(look_after, member, met)
    if not done then -- a key of its conversation has the wrong type: the others do not wait for it
        due_at(member, now + 1000)
        count('errors')
    end
end
local due = close_call()
claims[#claims + 1] = refused
return {claimed, ready, due, #members, claims}
