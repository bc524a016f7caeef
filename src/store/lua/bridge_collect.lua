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
--- @arg whole max_retries pushes to a list that takes nothing, after which a response waits for longer
--- @arg whole retries_end milliseconds for which it waits then, or for a gateway that is away
--- @arg whole events_max  about so many events are kept; 0: none is told
--- @arg whole most         how many to look at
--- @returns whole claimed  responses claimed by this call
--- @returns whole ready    responses that could go, but there was no room
--- @returns whole due      milliseconds until the first of pendingMessages is due; -1: none
--- @returns whole seen     how many were due, `most` at the most
--- @returns texts words    seven for each claim: MinMessageInfo, token, time, number, attempt, origin, taskItem; why a list of an origin was refused
--- @include bridge_close
--- @include bridge_dates
--- @include bridge_ledger
--- @include bridge_limits
--- @include bridge_look_after
--- @include bridge_state
local bridge, wrong = open_bridge({
    pending = pending, prefix = prefix, owner = owner, out = out, dead = dead, source = source, answers = answers,
    source_hands = source_hands, answers_hands = answers_hands, room = room, message_ttl = message_ttl, awaited_ttl = awaited_ttl,
    pending_ttl = pending_ttl, margin = margin, sent_ttl = sent_ttl, dedup_ttl = dedup_ttl, keep_ttl = keep_ttl,
    retry_base = retry_base, capacity = capacity, max_attempts = max_attempts, max_retries = max_retries,
    retries_end = retries_end, events_max = events_max
})
if wrong then
    return wrong
end
redis.pcall('PERSIST', pending) -- it was made by a version that let it expire
local members = most > 0 and redis.call('ZRANGE', pending, '-inf', due_score(bridge.now), 'BYSCORE', 'LIMIT', 0, most) or {}
local met, seen = {}, 0
for _, member in ipairs(members) do
    if bridge.spent >= enough then -- the rest is for the next call
        seen = most
        break
    end
    seen, bridge.spent = seen + 1, bridge.spent + 1
    local done = pcall(look_after, bridge, member, met)
    if not done then -- a key of its conversation has the wrong type: the others do not wait for it
        due_at(bridge, member, bridge.now + 1000)
        count(bridge, 'errors')
    end
end
local due, claims = close_bridge(bridge), bridge.claims
claims[#claims + 1] = bridge.refused
return {bridge.claimed, bridge.ready, due, seen, claims}
