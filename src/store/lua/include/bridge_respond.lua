--- @include bridge_claim
--- @include bridge_dates
--- @include bridge_delivery
--- @include bridge_head
--- @include bridge_keys
--- @include bridge_ledger
--- @include bridge_meet
--- @include bridge_register
--- @include numbers
--- @include redis_call
-- Scores have the number of a reply behind the point of its request's time.
local function fraction(bridge, number)
    local known = bridge.fractions[number]
    if not known then
        known = string.sub(string.format('%.12f', number / 4096), 2) -- exact
        bridge.fractions[number] = known
    end
    return known
end

-- What is known of a reply that has come before: the claim again, when its sender asks whose answer got lost.
local function repeated(bridge, it)
    local fields = call('HMGET', it.hash, 'conversationId', 'requestId', 'sentAttempt', 'origin')
    if fields[1] and (fields[1] ~= it.conversation or fields[2] ~= it.request) then
        return 'CONFLICT', 0, 'the response belongs to another request or conversation'
    end
    count(bridge, 'duplicate')
    local lease = fields[1] and bridge.out == '' and read_lock(it.key .. ':lock')
    local json_response = lease and json_response_of(it.member, it.request, it.response, it.conversation)
    if lease and lease.holder == bridge.owner and lease.json_response == json_response then
        local score = tonumber(call('ZSCORE', it.key, it.member)) or 0
        add_claim(bridge.claims, it.member, whole(lease.token), whole(math.floor(score)), whole((score % 1) * 4096), fields[3] or '1',
            fields[4] or '', task_of(bridge, {hash = it.hash}))
    end
    return 'DUPLICATE', 0, ''
end

-- Writes a reply and what it changes of its request and conversation. `is_claimed`: it is on its way.
local function write_response(bridge, it, list, score, came, is_claimed, is_only, has_more_to)
    local expires = date_after(bridge, bridge.rules.awaited_ttl)
    local kept = bridge.kept
    call('HSET', it.hash, 'conversationId', it.conversation, 'origin', it.origin, 'requestId', it.request, 'responseId', it.response,
        'requestTimestamp', it.timestamp, 'responseTimestamp', came ~= '0' and came or bridge.now_text, 'status', 'PENDING',
        'expiresAtTS', expires, 'awaitedToDateTS', date_after(bridge, bridge.rules.pending_ttl), 'awaitedRetries', '0',
        'taskItem', it.task, 'sentAttempt', is_claimed and '1' or '0',
        is_claimed and 'fence' or 'sentAttempt', is_claimed and it.token or '0') -- who was not sent has none
    call('PEXPIRE', it.hash, kept)
    if it.more or has_more_to then
        call('HSET', it.hash, 'more', it.more and '1' or '0')
        call('HSET', it.own_request, 'moreTo', it.more and whole(bridge.now + bridge.rules.message_ttl) or '0')
    end
    call('HSET', it.own_request, 'status', 'PENDING', 'responseIdCounter', it.number, 'r:' .. it.response, it.number)
    extend(it.own_request, kept)
    extend(list, kept)
    call('ZADD', it.key, score, it.member)
    extend(it.key, kept, is_only)
    call('ZADD', bridge.pending, bridge.lease_due, it.member)
    count(bridge, 'responses')
end

-- A reply, into the place that its request and its number among the replies give it. `it` has key, conversation, origin, request, response,
-- member, task and more; it becomes the head that is claimed. `came`: when it came, or 0. Returns CLAIMED, READY or what it waits for and
-- until when; or DUPLICATE, CANCELLED, CONFLICT, GROUP_TOO_LARGE, FULL.
local function respond(bridge, it, came)
    local key, conversation = it.key, it.conversation
    local request, list, lock = bridge.requests .. it.request, key .. ':req', key .. ':lock'
    it.own_request, it.hash = request, bridge.responses .. it.response
    local known = call('HMGET', request, 'conversationId', 'origin', 'requestTimestamp', 'status', 'responseIdCounter', 'r:' .. it.response, 'moreTo')
    if known[1] and (known[1] ~= conversation or known[2] ~= it.origin) then
        return 'CONFLICT', 0, 'the request belongs to another conversation or origin'
    elseif known[4] == 'CANCEL' then
        count(bridge, 'late')
        return 'CANCELLED', 0, 'the request was cancelled: ' .. (call('HGET', request, 'reason') or '')
    elseif known[6] then
        return repeated(bridge, it)
    end
    local top, is_alone = {}, call('EXISTS', it.hash, key, lock) == 0 -- with its request
    if not is_alone then
        if call('EXISTS', it.hash) == 1 then
            return repeated(bridge, it)
        end
        local capacity = bridge.rules.capacity
        top = call('ZRANGE', key, '0', '0', 'WITHSCORES')
        if capacity > 0 and top[1] and call('ZCARD', key) >= capacity then
            count(bridge, 'full')
            return 'FULL', 0, 'the conversation has ' .. capacity .. ' responses'
        end
    end
    local number = (tonumber(known[5]) or known[1] and tonumber(call('HGET', request, 'requestIdCounter')) or 0) + 1 -- its other name
    if number > 4095 then
        count(bridge, 'tooLarge')
        return 'GROUP_TOO_LARGE', 0, 'a request has at most 4095 replies'
    end
    local timestamp = known[3]
    if not timestamp then -- its request has expired: a late reply goes to the tail
        timestamp = add_request(bridge, key, call('LLEN', list), request, conversation, it.origin, it.request, bridge.now, 'PENDING', bridge.kept,
            date_after(bridge, bridge.rules.awaited_ttl))
        if not timestamp then
            return 'AGAIN', 0, ''
        end
        call('HSET', request, 'late', '1')
        count(bridge, 'late')
    end

    -- From here on it writes. One that can go at once is written as what it will be.
    local score = timestamp .. fraction(bridge, number)
    local is_first = not top[1] or tonumber(score) < tonumber(top[2])
    it.timestamp, it.number = timestamp, whole(number)
    local is_free = is_first and call('LINDEX', list, '0') == request and (is_alone or not call('GET', lock))
    local is_claimed = is_free and bridge.room > 0 and claim(bridge, it, true)
    write_response(bridge, it, list, score, came, is_claimed, not top[1], known[7])
    local place = timestamp .. '.' .. it.number
    if is_claimed then
        return 'CLAIMED', 0, place
    elseif is_first then
        local head = meet_head(bridge, conversation, key)
        return head.is, (head.until_ms or bridge.now) - bridge.now, place
    end
    return 'WAIT_RESPONSE', 0, place
end
