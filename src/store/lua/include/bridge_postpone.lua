--- @include bridge_dates
--- @include bridge_facts
--- @include bridge_group
--- @include bridge_head
--- @include bridge_keys
--- @include bridge_ledger
--- @include bridge_meet
--- @include numbers
--- @include redis_call
-- A response, by its MinMessageInfo, is given another date by hand.

-- `date` 0: the delay that its retries so far call for. `whole_group` is 1, 0, or o: only this one, which did not fail but was
-- blocked for too long; then `date` is a delay, and does not hold it up when it can go before.
local function await_message(bridge, member, date, whole_group, reason)
    local facts = facts_of(bridge, member)
    if not facts then
        return 'NOT_FOUND', 0, ''
    end
    local now, blocked = bridge.now, whole_group == 'o'
    local to = blocked and now + date or date > 0 and date or now + backoff(bridge, facts.retries)
    if whole_group == '1' then
        await_group(bridge, facts.key, facts.timestamp, group_of(member), to, reason)
    else
        local ends = now + bridge.rules.awaited_ttl
        call('HSET', facts.hash, 'status', 'AWAITED', 'awaitedFor', blocked and 'order' or 'error', 'awaitedTo', whole(to),
            'awaitedToDateTS', seconds(to), 'reason', reason, 'expiresAtTS', seconds(ends))
        call('PEXPIRE', facts.hash, bridge.kept)
        due_in_life(bridge, member, to, ends)
        count(bridge, 'awaited')
    end
    local lease = not blocked and read_lock(facts.key .. ':lock')
    if lease and lease.json_response == facts.json_response then
        call('DEL', facts.key .. ':lock')
    end
    if not blocked then
        meet_head(bridge, facts.conversation, facts.key)
    end
    return 'AWAITED', to - now, ''
end

-- A lease begins again, when it is of this response and token; without a lease, the date of the next look.
local function postpone(bridge, member, token)
    local facts = facts_of(bridge, member)
    if not facts then
        return 'NOT_FOUND', 0, ''
    end
    local lease = read_lock(facts.key .. ':lock')
    if lease and (lease.json_response ~= facts.json_response or token > 0 and lease.token ~= token) then
        return 'FENCED', 0, ''
    end
    if lease then
        call('PEXPIRE', facts.key .. ':lock', bridge.lease_life)
    end
    local length = bridge.rules.pending_ttl
    call('HSET', facts.hash, 'awaitedToDateTS', seconds(bridge.now + length))
    due_at(bridge, member, bridge.now + length)
    return 'POSTPONED', length, ''
end

-- Everything of it goes after a time, whoever lives then.
local function forget_later(bridge, member, delay)
    local facts = facts_of(bridge, member)
    if not facts then
        return 'NOT_FOUND', 0, ''
    end
    call('HSET', facts.hash, 'expiresAtTS', seconds(bridge.now + delay))
    call('PEXPIRE', facts.hash, math.max(1, delay))
    due_at(bridge, member, bridge.now + delay + 1)
    return 'POSTPONED', delay, ''
end
