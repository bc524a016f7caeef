#!lua flags=allow-oom
--- @doc Looks after responses that are due: leases that ended, waits that are over, what has expired. No two callers get the same.
--- @key pending           sorted set of responses by when they are looked at again, in seconds
--- @arg text prefix       of all keys
--- @arg text owner        this instance
--- @arg text out          claimed responses are pushed to OUT:ORIGIN; empty: they are handed over
--- @arg text dead         list for what is given up; empty: none
--- @arg text source       list that responses come from, where what is given up can go again; empty: none
--- @arg text answers      list that outcomes come from; empty: none
--- @arg text source_hands prefix of the hands of those who take from `source`
--- @arg text answers_hands likewise from `answers`
--- @arg whole room        most responses to claim
--- @arg whole message_ttl milliseconds that a request may wait for its first reply
--- @arg whole awaited_ttl likewise, life of a response
--- @arg whole pending_ttl likewise, length of a lease
--- @arg whole margin      likewise, what a sender leaves of its lease
--- @arg whole sent_ttl    likewise, for an acknowledgement
--- @arg whole dedup_ttl   likewise, that a closed request is remembered
--- @arg whole keep_ttl    likewise, after which Redis itself removes what nobody has ended
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
redis.pcall('PERSIST', pending) -- it was made by a version that let it expire
-- One that is not the first of its conversation, or the first that still waits: after the time that a response may be pending it
-- is awaited, and looked at again when its life ends. Who was never tried lives on, for it will be, but when nobody was there.
local function pass_over(member, conversation, key, hash, request, is_first)
    local fields = call('HMGET', hash, 'status', 'responseTimestamp', 'sentAttempt', 'expiresAtTS', 'origin', 'more')
    if fields[1] == 'PENDING' and now - tonumber(fields[2] or 0) >= pending_ttl then
        call('HSET', hash, 'status', 'AWAITED', 'awaitedFor', 'order')
    end
    if fields[1] ~= 'SENT' then -- it may live longer than was thought, or be of a version that let it expire
        for _, each in ipairs({hash, key, key .. ':req', request}) do
            extend(each, kept)
        end
    end
    if is_first then
        return
    end
    local _, response = ids_of(member)
    local it = {key = key, conversation = conversation, member = member, hash = hash, own_request = request, response = response, is = 'WAIT_RESPONSE',
        status = fields[1], attempts = tonumber(fields[3]) or 0, ends = life_end(fields[4]), origin = fields[5], more = fields[6] == '1'}
    if it.status == 'SENT' then
        it.is = 'WAIT_ACK' -- Redis ends that itself
    end
    local fate = judge_life(it, false)
    if fate == 'END' then
        it.task = it.unserved and call('HGET', hash, 'taskItem') or ''
        return give_up(it)
    elseif fate == 'DRAIN' or it.is == 'WAIT_ACK' then
        return due_at(member, now + (fate and 2000 or 500))
    end
    due_at(member, it.ends > now and it.ends or now + awaited_ttl)
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
        pass_over(member, conversation, key, hash, requests .. request, false)
    elseif met[conversation].is ~= 'CLAIMED' then
        pass_over(member, conversation, key, hash, requests .. request, true)
    end
end
local members = most > 0 and call('ZRANGE', pending, '-inf', due_score(now), 'BYSCORE', 'LIMIT', 0, most) or {}
local met, seen = {}, 0
for _, member in ipairs(members) do
    if spent >= enough then -- the rest is for the next call
        seen = most
        break
    end
    seen, spent = seen + 1, spent + 1
    local done = pcall(look_after, member, met)
    if not done then -- a key of its conversation has the wrong type: the others do not wait for it
        due_at(member, now + 1000)
        count('errors')
    end
end
local due = close_call()
claims[#claims + 1] = refused
return {claimed, ready, due, seen, claims}
