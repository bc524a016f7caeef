#!lua
--- @doc Takes the next messages into a taker's hand and renews its lease.
--- @block taking
--- @block taken
--- @include server_time
--- @include lease
--- @include take_batch
--- @include until_first
--- @include until_first_message
local now = server_milliseconds()
local state, wrong = meet_lease(lease, owners, token, call)
wrong = wrong or may_take(suspects, deliveries, delayed)
if wrong then
    return wrong
end
if state ~= 'done' then
    return {state}
end
clear_suspect(suspects, cleared_suspect)
local batch, refused = take_batch(source, hand, suspects, {
    max_count = max_count, max_bytes = max_bytes, largest = largest, max_length = 0, max_suspect_failures = max_suspect_failures, deliveries = deliveries
})
if not batch then
    return refused
end
keep_lease(lease, owners, id, call, now + lease_time)
local next_delayed = until_first_message(delayed, now)
local next_lease = until_first(owners, now)
local failures = failures_among(batch.messages, deliveries)
return {
    state, batch.left, batch.largest, batch.waits, next_delayed, next_lease, batch.messages, failures
}
