#!lua
--- @doc Requests, responses and cancellations of any number of conversations, in order; claims what can go.
--- @key pending           sorted set of responses by when they are looked at again, in seconds
--- @keys leases        hashes of the consumers that have these items in flight; none: nobody has to prove anything
--- @arg text tokens       of these leases, with a space between
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
--- @args items            of each item its letter and its words; see below
--- @returns whole claimed  responses claimed by this call
--- @returns whole ready    responses that could go, but there was no room
--- @returns whole due      milliseconds until the first of pendingMessages is due; -1: none
--- @returns texts words    three for each item; seven for each claim: MinMessageInfo, token, time, number, attempt, origin, taskItem; why a list of an origin was refused
--- @include bridge_cancel
--- @include bridge_items
--- @include bridge_register
--- @include bridge_respond
--- @include bridge_state
local bridge, wrong = open_bridge({
    pending = pending, prefix = prefix, owner = owner, out = out, dead = dead, source = source, answers = answers,
    source_hands = source_hands, answers_hands = answers_hands, room = room, message_ttl = message_ttl, awaited_ttl = awaited_ttl,
    pending_ttl = pending_ttl, margin = margin, sent_ttl = sent_ttl, dedup_ttl = dedup_ttl, keep_ttl = keep_ttl,
    retry_base = retry_base, capacity = capacity, max_attempts = max_attempts, max_retries = max_retries,
    retries_end = retries_end, events_max = events_max
})
wrong = wrong or check_leases(leases, tokens)
if wrong then
    return wrong
end
-- A conversation has its name in keys beside it when that differs.
local function run_item(at_bridge, words, at)
    local letter, a, b, c, d, e = unpack(words, at, at + 5)
    if letter == 'q' then -- request: conversation, its name, origin, request, timestamp
        return register(at_bridge, prefix .. (b == '' and a or b), a, c, d, e)
    elseif letter == 'r' then -- response: conversation, its name, origin, request, response, timestamp, MinMessageInfo, taskItem, more
        return respond(at_bridge, {
            key = prefix .. (b == '' and a or b), conversation = a, origin = c, request = d, response = e, member = words[at + 7],
            task = words[at + 8], more = words[at + 9] == '1', status = 'PENDING', attempts = 0, timestamp = false, number = false,
            own_request = false, hash = false, token = false
        }, words[at + 6])
    end
    return cancel(at_bridge, a, b, c, d) -- no reply will come: conversation or nothing, request, what MinMessageInfo of its group begin with, reason
end
return run_items(bridge, items, run_item, {q = 6, r = 10, x = 5}, out == '')
