#!lua
--- @doc Tracks messages that were moved on another server.
--- @block tracking
--- @args described         of each message its xid and type, and the message when it is kept
--- @returns whole tracked  messages that are tracked
--- @returns whole untracked messages that went without, because there was no room
--- @returns whole room     how many more could be tracked now
--- @include tracking
local tracking, wrong = begin_tracking({
    counter = counter, tracked = tracked, ids = ids, deadlines = deadlines, retries = retries, prefix = prefix, metrics = metrics,
    service = service, timeout = timeout, expire = expire, capacity = capacity, kept = kept, plan = plan
})
if not tracking then
    return wrong
end
local width = kept and 3 or 2
local xids, types, bodies = {}, {}, {}
for i = 1, #described / width do
    local at = (i - 1) * width
    xids[i], types[i], bodies[i] = described[at + 1], described[at + 2], kept and described[at + 3]
end
if #xids > 0 then
    tracking.add(xids, types, bodies, #xids)
    tracking.finish()
end
return {tracking.tracked, tracking.untracked, tracking.room}
