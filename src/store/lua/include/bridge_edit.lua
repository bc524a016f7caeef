--- @include bridge_group
-- What is done to single responses and to groups by hand, outside the way of a message. Each names a response by its MinMessageInfo,
-- or a group by its request and what the MinMessageInfo of its replies begins with.
local function facts_of(member)
    local request_id, response, conversation = ids_of(member)
    local hash = responses .. (response or '')
    local fields = response and call('HMGET', hash, 'status', 'origin', 'requestTimestamp', 'awaitedRetries', 'conversationId', 'requestId', 'asyncResponseId') or {}
    if not fields[1] or fields[5] ~= conversation or fields[6] ~= request_id then
        return nil
    end
    local key = conversation_key(conversation)
    call('ZCARD', key) -- a wrong type is found before the first write
    call('LLEN', key .. ':req')
    return {key = key, hash = hash, request = requests .. request_id, conversation = conversation, response = response,
        status = fields[1], origin = fields[2], timestamp = tonumber(fields[3]), retries = tonumber(fields[4]) or 0, name = names .. (fields[7] or '')}
end

local function delete_message(member)
    local facts = facts_of(member)
    if not facts then
        return 'NOT_FOUND', 0, ''
    end
    forget(facts.key, member, facts.hash, facts.request)
    call('DEL', facts.name)
    tell('deleted', member, facts.origin)
    meet_head(facts.conversation, facts.key)
    return 'DELETED', 0, '1'
end

-- Of a group those that have the status (any, when it is empty) and whose origin is not among the excepted; `spared` stays.
local function delete_group(id, group, status, except_origins, spared)
    local known = call('HMGET', requests .. id, 'conversationId', 'requestTimestamp')
    if not known[1] then
        return 'NOT_FOUND', 0, '0'
    end
    local key, gone = conversation_key(known[1]), 0
    local members = members_of_group(key, tonumber(known[2]), group)
    spent = spent + 2 * #members
    for _, member in ipairs(members) do
        local _, response = ids_of(member)
        local hash = responses .. response
        local fields = call('HMGET', hash, 'status', 'origin', 'asyncResponseId')
        local except = fields[2] and string.find(except_origins, '\n' .. fields[2] .. '\n', 1, true)
        if member ~= spared and not except and (status == '' or fields[1] == status) then
            forget(key, member, hash, requests .. id)
            call('DEL', names .. (fields[3] or ''))
            tell('deleted', member, fields[2])
            gone = gone + 1
        end
    end
    meet_head(known[1], key)
    return 'DELETED', 0, tostring(gone)
end

-- `date` 0: the pause that its retries so far call for. `whole_group` is 1, 0, or o: only this one, which did not fail but was
-- blocked for too long; then `date` is a pause, and does not hold it up when it can go before.
local function await_message(member, date, whole_group, reason)
    local facts = facts_of(member)
    if not facts then
        return 'NOT_FOUND', 0, ''
    end
    local blocked = whole_group == 'o'
    date = blocked and now + date or date > 0 and date or now + backoff(facts.retries)
    if whole_group == '1' then
        await_group(facts.key, facts.timestamp, group_of(member), date, reason)
    else
        call('HSET', facts.hash, 'status', 'AWAITED', 'awaitedFor', blocked and 'order' or 'error', 'awaitedTo', digits(date), 'awaitedToDateTS', seconds(date),
            'reason', reason, 'expiresAtTS', seconds(now + awaited_ttl))
        call('PEXPIRE', facts.hash, kept)
        due_in_life(member, date, now + awaited_ttl)
        count('awaited')
    end
    local lease = not blocked and read_lock(facts.key .. ':lock')
    if lease and lease.json_response == json_response_of(member, ids_of(member)) then
        call('DEL', facts.key .. ':lock')
    end
    if not blocked then
        meet_head(facts.conversation, facts.key)
    end
    return 'AWAITED', date - now, ''
end

local function fail_message(member, reason)
    local facts = facts_of(member)
    if not facts then
        return 'NOT_FOUND', 0, ''
    end
    local gone = cancel_group(facts.key, facts.request, facts.timestamp, group_of(member), reason)
    meet_head(facts.conversation, facts.key)
    return 'CANCELLED', 0, tostring(gone)
end

-- A lease begins anew, when it is of this response and token; without a lease, the date of the next look.
local function postpone(member, token)
    local facts = facts_of(member)
    if not facts then
        return 'NOT_FOUND', 0, ''
    end
    local lease = read_lock(facts.key .. ':lock')
    if lease and (lease.json_response ~= json_response_of(member, ids_of(member)) or token > 0 and lease.token ~= token) then
        return 'FENCED', 0, ''
    end
    if lease then
        call('PEXPIRE', facts.key .. ':lock', lease_life)
    end
    call('HSET', facts.hash, 'awaitedToDateTS', seconds(now + pending_ttl))
    due_at(member, now + pending_ttl)
    return 'POSTPONED', pending_ttl, ''
end

-- Everything of it goes after a time, whoever lives then.
local function forget_later(member, delay)
    local facts = facts_of(member)
    if not facts then
        return 'NOT_FOUND', 0, ''
    end
    call('HSET', facts.hash, 'expiresAtTS', seconds(now + delay))
    call('PEXPIRE', facts.hash, math.max(1, delay))
    due_at(member, now + delay + 1)
    return 'POSTPONED', delay, ''
end
