--- @include bridge_claim
--- @include bury
-- The pause before the next try of what was retried so often.
local function backoff(retries, at_least)
    return math.max((retries + 1) * retry_base, at_least or 0)
end

-- All of a group wait, until one date. Who only waits because `cause` failed goes when that has gone, whatever the date.
local function await_group(key, timestamp, group, date, reason, cause)
    local members = members_of_group(key, timestamp, group)
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
                call('PEXPIREAT', hash, digits(math.max(life_end(expires), now + 1)))
                keep_place(key, requests .. request, life_end(expires) + 1)
                call('HDEL', requests .. request, 'sent')
            end
            local last = innocent and date or math.min(date, life_end(expires))
            call('HSET', hash, 'status', 'AWAITED', 'awaitedFor', innocent and 'group' or 'error', 'awaitedTo', digits(date), 'awaitedToDateTS', seconds(date),
                'reason', reason)
            due_in_life(member, last, hash)
        end
    end
    local first = call('ZRANGE', key, '0', '0')[1]
    local _, response = ids_of(first or '')
    local ends = response and call('PEXPIRETIME', responses .. response) or 0
    if ends > 0 then
        keep_followers(key, ends + pending_ttl)
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
    for _, member in ipairs(members) do
        local ids = {ids_of(member)}
        local hash = responses .. ids[2]
        local fields = call('HMGET', hash, 'origin', 'taskItem', 'sentAttempt', 'asyncResponseId')
        call('DEL', hash, names .. (fields[4] or ''))
        call('ZREM', key, member)
        call('ZREM', pending, member)
        tell('cancelled', member, fields[1], reason)
        if dead ~= '' and fields[1] then
            local request_id, response_id, conversation_id = json_ids_of(member)
            local task = fields[2] or '{}'
            local text = '{"type":"response","conversationId":' .. conversation_id .. ',"requestId":' .. request_id .. ',"responseId":' .. response_id ..
                ',"origin":' .. cjson.encode(fields[1]) .. (string.sub(task, 1, 1) == '{' and task ~= '{}' and ',' .. string.sub(task, 2) or '}')
            bury(dead, text, {reason = reason, attempts = tonumber(fields[3]) or 0, died = math.floor(now / 1000), service = owner,
                origin = source ~= '' and source or nil})
        end
    end
    close_request(key .. ':req', request, first)
    if call('EXISTS', request) == 1 then
        call('HSET', request, 'status', 'CANCEL', 'reason', reason)
    end
    return #members
end
