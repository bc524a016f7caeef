#!lua flags=allow-oom
--- @doc Ends messages in a taker's hand as it has decided, each once, renews its lease, and hands it the next.
--- @block taking
--- @key dead               list of messages given up
--- @keys outs              lists that decisions push to
--- @arg whole max_deliveries so often a message is delivered before it is given up
--- @arg text service       who we are, for the story of the dead
--- @arg text metrics       prefix of the metrics' keys; empty: count nothing
--- @arg text tracked       prefix of the messages' keys; empty: none is tracked
--- @arg text reports       list that tracked messages are reported done to
--- @arg text times         of what is done, for the metrics: sum, longest, and how many in each tenth of the time allowed
--- @arg flag oldest        the messages are the oldest in hand, in their order
--- @arg text sides         a letter for each message: l when it is among the newer half of the hand, else r
--- @arg text forms         a letter for each message: b when it stands in `words` itself, d when its name does, as that of a large one may; empty: all do themselves
--- @arg text verdicts      a letter for each message: d done, p done with pushes, r try again, b give up, g give back, u give back with pushes
--- @arg text named         a letter for each out: s when the settings name it, m when a message does; k: it is a key to set, by SECONDS:VALUE, or with negative seconds to delete if it has this value, or any for *
--- @args words             the messages, oldest first; then of each p and u its number of pushes, and for each the number of the out and what is pushed, or =NUMBER when the message itself goes to one out; of each r the pause in milliseconds, the reason and the number of the delivery; of each b pushes as of a p, the reason, that number, and the error's name
--- @block taken
--- @returns whole missing  messages that were not in flight any more: nothing was done of what was decided of them
--- @returns whole buried   messages given up
--- @returns flag source_wrong nothing can be taken; `take` says why
--- @include count_settled
--- @include numbers
--- @include pushes
--- @include server_time
--- @include lease
--- @include may
--- @include settle_checks
--- @include remove_held
--- @include settle_messages
--- @include take_batch
--- @include until_first
--- @include until_first_message
local now = server_milliseconds()
local state, wrong = meet_lease(lease, owners, token, call)
wrong = wrong or may_take(suspects, deliveries, delayed) or tracked ~= '' and may('GET', tracked .. 'tracked')
if wrong then
    return wrong
end
if state ~= 'done' then
    return {state}
end
local remembers = redis.pcall('EXISTS', deliveries, suspects) ~= 0
local is_tracked = tracked ~= '' and tonumber(redis.pcall('GET', tracked .. 'tracked')) ~= nil
local closed, wrong_out = check_outs(outs, named)
wrong = wrong_out or check_settling(hand, source, delayed, dead, deliveries, suspects, verdicts, closed, remembers)
    or forms ~= '' and may('LINDEX', hand, '0') or is_tracked and may_report(reports, tracked, verdicts)
if wrong then
    return wrong
end

local messages, gone = find_named(hand, words, forms, #verdicts)
local lost, missing = remove_held(hand, messages, #verdicts, gone, oldest, sides)
local counts = {settled = #verdicts - missing, retry = 0, dead = 0}
if remembers or is_tracked or string.find(verdicts, '[^d]') then
    counts = settle_messages({
        source = source, delayed = delayed, dead = dead, deliveries = deliveries, suspects = suspects, remembers = remembers,
        tracked = is_tracked and tracked, reports = reports, now = now, call = id .. '-' .. whole(call), service = service,
        max_deliveries = max_deliveries, words = begin_words(words, #verdicts), pushes = begin_pushes(outs, named, closed)
    }, messages, verdicts, lost)
end
if metrics ~= '' then
    count_settled(metrics, counts, times)
end
keep_lease(lease, owners, id, call, now + lease_time)

clear_suspect(suspects, cleared_suspect)
local batch, refused = nil, nil
if max_count > 0 then
    batch, refused = take_batch(source, hand, suspects, {
        max_count = max_count, max_bytes = max_bytes, largest = largest, max_length = 0, max_suspect_failures = max_suspect_failures, deliveries = deliveries
    })
end
batch = batch or {left = 0, largest = 0, waits = 0, messages = {}}
local next_delayed = until_first_message(delayed, now)
local next_lease = until_first(owners, now)
local failures = failures_among(batch.messages, deliveries)
return {
    state, batch.left, batch.largest, batch.waits, next_delayed, next_lease, batch.messages, failures, missing, counts.dead, refused and 1 or 0
}
