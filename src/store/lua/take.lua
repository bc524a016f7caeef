#!lua
--- @doc Takes the next messages into a taker's hand and renews its lease.
--- @key source             list that is shortened, from the right
--- @key hand               list of what this taker has in hand, newest at the left
--- @key lease              hash of this taker
--- @key owners             sorted set of takers by the end of their leases, in milliseconds
--- @key suspects           set of digests: what was in hand when a taker died
--- @key deliveries         hash by digest: how often a message was delivered in vain
--- @key delayed            sorted set of messages that wait, by milliseconds
--- @arg text id            of this taker
--- @arg text token
--- @arg whole call         number of this call
--- @arg whole lease_time   milliseconds
--- @arg whole max_count    most messages to take; 0: only renew
--- @arg whole max_bytes    stop before more bytes than this; the first message always goes
--- @arg whole largest      size of the largest message seen lately
--- @arg text acquitted     digest of a suspect in hand that has begun and killed nobody; empty: none
--- @arg whole bold         suspects that have failed less often than this are taken beside others
--- @returns whole state    0, or 1: not the next call, 2: the lease is another's or gone; then nothing was done
--- @returns whole taken    messages taken
--- @returns whole left     messages still in the source
--- @returns whole bytes    their size
--- @returns whole largest  size of the largest message that was read
--- @returns whole waits    1: what is next, or in hand, must be alone
--- @returns whole failed   1: behind the messages stands how often each has failed
--- @returns whole next_delayed milliseconds until the first that waits is due; -1: none waits
--- @returns whole next_lease   likewise, until the first lease ends
--- @returns texts messages oldest first
--- @include server_time
--- @include lease
--- @include take_batch
--- @include until_first
--- @include until_first_message
local now = server_milliseconds()
local state, wrong = meet_lease(lease, owners, token, call)
if not state then
    return wrong
end
if state ~= 0 then
    return {state, 0, 0, 0, 0, 0, 0, -1, -1, {}}
end
clear_suspect(suspects, acquitted)
local batch, refused = take_batch(source, hand, suspects, {
    max_count = max_count, max_bytes = max_bytes, largest = largest, max_length = 0, bold = bold, deliveries = deliveries
})
if not batch then
    return refused
end
keep_lease(lease, owners, id, call, now + lease_time)
local failed = add_failures(batch, deliveries)
return {
    0, batch.moved, batch.left, batch.bytes, batch.largest, batch.waits, failed, until_first_message(delayed, now),
    until_first(owners, now), batch.messages
}
