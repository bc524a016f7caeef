#!lua
--- @doc Moves a batch as transfer does, and tracks what it moved: ids, deadlines, cross references, bodies.
--- @block moving
--- @block tracking
--- @keys outs              lists that each get every message
--- @arg whole max_shown    how many of the moved messages to hand back, for the debug log
--- @arg flag wait          what cannot be tracked is not moved
--- @arg text queue_db      database of the queues, when the tracking keys are in another
--- @arg text service_db    that other one; both empty when it is the same
--- @block moved
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
