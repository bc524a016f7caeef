--- @include bridge_claim
-- The pause before the next try of what was retried so often.
local function backoff(retries, at_least)
    return math.max((retries + 1) * retry_base, at_least or 0)
end

-- All of a group wait, until one date. Who only waits because `cause` failed goes when that has gone, whatever the date.
local function await_group(key, timestamp, group, date, reason, cause)
    local members, dates = members_of_group(key, timestamp, group), {}
    spent = spent + #members
    for _, member in ipairs(members) do
        local request, response = ids_of(member)
        local hash = responses .. response
        local fields = call('HMGET', hash, 'status', 'sentAttempt', 'lifeTS', 'expiresAtTS')
        if fields[1] then
            local innocent = cause and member ~= cause and (tonumber(fields[2]) or 0) == 0
            local expires = fields[4]
            if fields[1] == 'SENT' then -- its life was short because an acknowledgement was to come
                expires = fields[3] or expires
                call('HSET', hash, 'expiresAtTS', expires)
                call('PEXPIRE', hash, kept)
                call('HDEL', requests .. request, 'sent')
            end
            local last = innocent and date or math.min(date, life_end(expires))
            call('HSET', hash, 'status', 'AWAITED', 'awaitedFor', innocent and 'group' or 'error', 'awaitedTo', digits(date), 'awaitedToDateTS', seconds(date),
                'reason', reason, 'fence', '0')
            dates[#dates + 1], dates[#dates + 2] = due_score(last), member
        end
    end
    for at = 1, #dates, 1000 do
        call('ZADD', pending, unpack(dates, at, math.min(at + 999, #dates)))
    end
    count('awaited', #members)
    return #members
end

-- All of a group go, and what still comes for the request is told that it is cancelled.
local function cancel_group(key, request, timestamp, group, reason)
    local denied = dead ~= '' and may_bury(dead)
    if denied then -- nothing is lost: whoever wanted this tries again
        error(denied)
    end
    local members, first = members_of_group(key, timestamp, group), call('LINDEX', key .. ':req', '0')
    spent = spent + 2 * #members
    for _, member in ipairs(members) do
        local _, response = ids_of(member)
        local hash = responses .. response
        local fields = call('HMGET', hash, 'origin', 'taskItem', 'sentAttempt', 'asyncResponseId')
        spent = spent + math.floor(#(fields[2] or '') / 1024)
        call('DEL', hash, names .. (fields[4] or ''))
        call('ZREM', key, member)
        call('ZREM', pending, member)
        tell('cancelled', member, fields[1], reason)
        bury_response(member, {origin = fields[1], task = fields[2], attempts = tonumber(fields[3]) or 0}, reason)
    end
    close_request(key .. ':req', request, first)
    if call('EXISTS', request) == 1 then
        call('HSET', request, 'status', 'CANCEL', 'reason', reason)
    end
    return #members
end
