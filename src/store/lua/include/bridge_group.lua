--- @include bridge_bury
--- @include bridge_dates
--- @include bridge_keys
--- @include bridge_head
--- @include bridge_ledger
--- @include bridge_removal
--- @include dead_letter
--- @include numbers
--- @include redis_call
-- The delay before the next try of what was retried so often.
local function backoff(bridge, retries, at_least)
    return math.max((retries + 1) * bridge.rules.retry_base, at_least or 0)
end

-- All of a group wait, until one date. Who only waits because `cause` failed goes when that has gone, whatever the date.
local function await_group(bridge, key, timestamp, group, date, reason, cause)
    local members, dates = members_of_group(key, timestamp, group), {}
    bridge.spent = bridge.spent + #members
    for _, member in ipairs(members) do
        local request, response = ids_of(member)
        local hash = bridge.responses .. response
        local fields = call('HMGET', hash, 'status', 'sentAttempt', 'lifeTS', 'expiresAtTS')
        if fields[1] then
            local innocent = cause and member ~= cause and (tonumber(fields[2]) or 0) == 0
            local expires = fields[4]
            if fields[1] == 'SENT' then -- its life was short because an acknowledgement was to come
                expires = fields[3] or expires
                call('HSET', hash, 'expiresAtTS', expires)
                call('PEXPIRE', hash, bridge.kept)
                call('HDEL', bridge.requests .. request, 'sent')
            end
            local last = innocent and date or math.min(date, life_end(expires))
            call('HSET', hash, 'status', 'AWAITED', 'awaitedFor', innocent and 'group' or 'error', 'awaitedTo', whole(date), 'awaitedToDateTS', seconds(date),
                'reason', reason, 'fence', '0')
            dates[#dates + 1], dates[#dates + 2] = due_score(last), member
        end
    end
    for at = 1, #dates, 1000 do
        call('ZADD', bridge.pending, unpack(dates, at, math.min(at + 999, #dates)))
    end
    count(bridge, 'awaited', #members)
    return #members
end

-- All of a group go, and what still comes for the request is told that it is cancelled.
local function cancel_group(bridge, key, request, timestamp, group, reason)
    local dead = bridge.rules.dead
    local denied = dead ~= '' and may_add_dead_letter(dead)
    if denied then -- nothing is lost: whoever wanted this tries again
        error(denied)
    end
    local members, first = members_of_group(key, timestamp, group), call('LINDEX', key .. ':req', '0')
    bridge.spent = bridge.spent + 2 * #members
    for _, member in ipairs(members) do
        local _, response = ids_of(member)
        local hash = bridge.responses .. response
        local fields = call('HMGET', hash, 'origin', 'taskItem', 'sentAttempt', 'asyncResponseId')
        bridge.spent = bridge.spent + math.floor(#(fields[2] or '') / 1024)
        call('DEL', hash, bridge.names .. (fields[4] or ''))
        call('ZREM', key, member)
        call('ZREM', bridge.pending, member)
        tell(bridge, 'cancelled', member, fields[1], reason)
        bury_response(bridge, member, {origin = fields[1], task = fields[2], attempts = tonumber(fields[3]) or 0}, reason)
    end
    close_request(bridge, key .. ':req', request, first)
    if call('EXISTS', request) == 1 then
        call('HSET', request, 'status', 'CANCEL', 'reason', reason)
    end
    return #members
end
