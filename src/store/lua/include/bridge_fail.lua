--- @include bridge_group
--- @include bridge_keys
-- A send has failed: it is tried again later, with its group, or given up. Returns which.
local function fail(bridge, key, member, timestamp, attempts, retries, reason, delay)
    local most = bridge.rules.max_attempts
    if most > 0 and attempts >= most then
        local request = ids_of(member)
        cancel_group(bridge, key, bridge.requests .. request, timestamp, group_of(member), reason)
        return 'CANCELLED'
    end
    await_group(bridge, key, timestamp, group_of(member), bridge.now + backoff(bridge, retries, delay), reason, member)
    return 'AWAITED'
end
