#!lua flags=allow-oom
--- @doc Looks after responses that are due: leases that ended, waits that are over, what has expired. No two callers get the same.
--- @block bridging as rules
--- @arg whole most         how many to look at
--- @block bridged
--- @returns whole seen     how many were due, `most` at the most
--- @include bridge_close
--- @include bridge_dates
--- @include bridge_ledger
--- @include bridge_limits
--- @include bridge_look_after
--- @include bridge_state
local bridge, wrong = open_bridge(rules)
if wrong then
    return wrong
end
redis.pcall('PERSIST', rules.pending) -- it was made by a version that let it expire
local members = most > 0 and redis.call('ZRANGE', rules.pending, '-inf', due_score(bridge.now), 'BYSCORE', 'LIMIT', 0, most) or {}
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
local due = close_bridge(bridge)
return {bridge.claimed, bridge.ready, due, bridge.claims, bridge.refused, seen}
