#!lua flags=allow-oom
--- @doc Outcomes of sends, and acknowledgements; claims what can go next.
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
--- @include bridge_acknowledge
--- @include bridge_items
--- @include bridge_keys
--- @include bridge_meet
--- @include bridge_outcome
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
local function run_item(at_bridge, words, at)
    local letter, a, b, c, d, e = unpack(words, at, at + 5)
    if letter == 'c' then -- outcome of a send: conversation, its name in keys when that differs, request, response, MinMessageInfo, token, s|a|r|f, name or reason, delay, origin if known
        return complete(at_bridge, {
            key = prefix .. (b == '' and a or b), conversation = a, request_id = c, response_id = d, member = e, token = words[at + 6],
            hash = false, request = false
        }, words[at + 7], words[at + 8], tonumber(words[at + 9]), words[at + 10])
    elseif letter == 'k' then -- acknowledgement: origin, name, s|r|f, reason
        return acknowledge(at_bridge, a, b, c, d)
    end
    local head = meet_head(at_bridge, a, conversation_key(prefix, a)) -- claim what can go: conversation
    return head.is, (head.until_ms or at_bridge.now) - at_bridge.now, head.response or ''
end
return run_items(bridge, items, run_item, {c = 11, k = 5, m = 2}, false)
