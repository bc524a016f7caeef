#!lua
--- @doc Moves a batch as transfer does, and tracks what it moved: ids, deadlines, cross references, bodies.
--- @key source             list that is shortened
--- @key counter            string, the last message id
--- @key tracked            string, how many messages are tracked
--- @key ids                list of message ids, newest at the left
--- @key deadlines          sorted set of message ids, or runs of them, by milliseconds
--- @key retries            sorted set of those that wait to be delivered again
--- @keys outs              lists that each get every message
--- @arg whole max_count    most messages to move
--- @arg whole max_bytes    stop before more bytes than this; the first message always goes
--- @arg whole largest      size of the largest message seen lately, so that many of its like are not read at once
--- @arg whole max_length   an out of this length is full; 0: never
--- @arg whole max_shown    how many of the moved messages to hand back, for the debug log
--- @arg text prefix        of the messages' keys
--- @arg text metrics       prefix of the metrics' keys
--- @arg whole service      id of the service that moves
--- @arg whole timeout      seconds until a message has timed out
--- @arg whole expire       seconds until what is known of it is forgotten
--- @arg whole capacity     most messages that are tracked at once
--- @arg flag wait          what cannot be tracked is not moved
--- @arg flag kept          bodies are kept, for a retry
--- @arg text plan          what is to be done about these messages later, as JSON; empty: nothing
--- @arg text queue_db      database of the queues, when the tracking keys are in another
--- @arg text service_db    that other one; both empty when it is the same
--- @returns whole moved    messages that were moved
--- @returns whole bytes    their size
--- @returns whole left     messages still in the source
--- @returns whole largest  size of the largest message that was read
--- @returns whole full     which out is full, from 1, when nothing moved for that reason
--- @returns whole spent    microseconds of work for it
--- @returns whole tracked  messages that are tracked
--- @returns whole untracked messages that went without, because there was no room
--- @returns flag no_room   when fewer moved, or none, because the rest could not be tracked
--- @returns texts shown    the first of the moved messages, oldest first
--- @include move_batch
--- @include xid_of
--- @include tracking
local function select_db(db)
    if db ~= '' then
        redis.call('SELECT', db)
    end
end

if service_db ~= '' and not redis.acl_check_cmd('SELECT', service_db) then
    return redis.error_reply('NOPERM this user may not SELECT db=' .. service_db)
end
select_db(service_db)
local tracking, wrong_key = begin_tracking({
    counter = counter, tracked = tracked, ids = ids, deadlines = deadlines, retries = retries, prefix = prefix, metrics = metrics,
    service = service, timeout = timeout, expire = expire, capacity = capacity, kept = kept, plan = plan
})
if not tracking then
    return wrong_key
end
select_db(queue_db)

local no_room = 0
if wait and tracking.room < max_count then
    max_count = tracking.room
    no_room = 1
end
local shown = {}
local bounds = {max_count = max_count, max_bytes = max_bytes, largest = largest, max_length = max_length}
local batch, wrong = move_batch(source, outs, bounds, function(chunk, count)
    local xids, types = {}, {}
    for i = 1, math.min(count, tracking.room) do
        xids[i], types[i] = xid_of(chunk[i])
    end
    select_db(service_db)
    tracking.add(xids, types, chunk, count)
    select_db(queue_db)
    for i = 1, math.min(max_shown - #shown, count) do
        shown[#shown + 1] = chunk[i]
    end
end)
select_db(service_db)
tracking.finish()
if not batch then
    return wrong
end
if no_room == 1 and (batch.full > 0 or batch.left == 0 or batch.moved < max_count) then
    no_room = 0 -- it was not for that
end
return {
    batch.moved, batch.bytes, batch.left, batch.largest, batch.full, batch.spent, tracking.tracked, tracking.untracked, no_room,
    shown
}
