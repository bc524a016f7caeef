--- @include bridge_register
local response_expires = seconds(now + awaited_ttl)
local lease_ends = seconds(lease_end)
local fractions = {} -- of scores, by the number of the reply
local function fraction(number)
    if not fractions[number] then
        fractions[number] = string.sub(string.format('%.12f', number / 4096), 2) -- exact
    end
    return fractions[number]
end

-- What is known of a reply that has come before: the claim again, when its sender asks whose answer got lost.
local function repeated(key, conversation, request_id, response_id, member)
    local fields = call('HMGET', responses .. response_id, 'conversationId', 'requestId', 'sentAttempt', 'origin', 'taskItem')
    if fields[1] and (fields[1] ~= conversation or fields[2] ~= request_id) then
        return 'CONFLICT', 0, 'the response belongs to another request or conversation'
    end
    count('duplicate')
    local lease = fields[1] and out == '' and read_lock(key .. ':lock')
    if lease and lease.holder == owner and lease.json_response == json_response_of(member, request_id, response_id, conversation) then
        local score = tonumber(call('ZSCORE', key, member)) or 0
        for _, word in ipairs({member, digits(lease.token), digits(math.floor(score)), digits((score % 1) * 4096), fields[3] or '1', fields[4] or '', fields[5] or ''}) do
            claims[#claims + 1] = word
        end
    end
    return 'DUPLICATE', 0, ''
end

-- A reply, into the place that its request and its number among the replies give it. Returns CLAIMED, READY or what it waits
-- for and until when; or DUPLICATE, CANCELLED, CONFLICT, GROUP_TOO_LARGE, FULL.
local function respond(key, conversation, origin, request_id, response_id, came, member, task, more)
    local request, hash, list, lock = requests .. request_id, responses .. response_id, key .. ':req', key .. ':lock'
    local known = call('HMGET', request, 'conversationId', 'origin', 'requestTimestamp', 'status', 'responseIdCounter', 'r:' .. response_id, 'moreTo')
    if known[1] and (known[1] ~= conversation or known[2] ~= origin) then
        return 'CONFLICT', 0, 'the request belongs to another conversation or origin'
    elseif known[4] == 'CANCEL' then
        count('late')
        return 'CANCELLED', 0, 'the request was cancelled: ' .. (call('HGET', request, 'reason') or '')
    elseif known[6] then
        return repeated(key, conversation, request_id, response_id, member)
    end
    local top, is_alone = {}, call('EXISTS', hash, key, lock) == 0 -- with its request
    if not is_alone then
        if call('EXISTS', hash) == 1 then
            return repeated(key, conversation, request_id, response_id, member)
        end
        top = call('ZRANGE', key, '0', '0', 'WITHSCORES')
        if capacity > 0 and top[1] and call('ZCARD', key) >= capacity then
            count('full')
            return 'FULL', 0, 'the conversation has ' .. capacity .. ' responses'
        end
    end
    local number = (tonumber(known[5]) or known[1] and tonumber(call('HGET', request, 'requestIdCounter')) or 0) + 1 -- its other name
    if number > 4095 then
        count('tooLarge')
        return 'GROUP_TOO_LARGE', 0, 'a request has at most 4095 replies'
    end
    local timestamp = known[3]
    if not timestamp then -- its request has expired: a late reply goes to the tail
        timestamp = add_request(key, call('LLEN', list), request, conversation, origin, request_id, now, 'PENDING', kept, response_expires)
        call('HSET', request, 'late', '1')
        count('late')
    end

    -- From here on it writes. One that can go at once is written as what it will be.
    local score, number_text = timestamp .. fraction(number), digits(number)
    local is_first = not top[1] or tonumber(score) < tonumber(top[2])
    local head = {key = key, member = member, request = request_id, response = response_id, conversation = conversation, timestamp = timestamp,
        number = number_text, origin = origin, task = task, status = 'PENDING', attempts = 0, more = more == '1'}
    local is_free = is_first and call('LINDEX', list, '0') == request and (is_alone or not call('GET', lock))
    local at_once = is_free and room > 0 and claim(head, true)
    call('HSET', hash, 'conversationId', conversation, 'origin', origin, 'requestId', request_id, 'responseId', response_id,
        'requestTimestamp', timestamp, 'responseTimestamp', came ~= '0' and came or now_text, 'status', 'PENDING',
        'expiresAtTS', response_expires, 'awaitedToDateTS', lease_ends, 'awaitedRetries', '0', 'taskItem', task, 'sentAttempt', at_once and '1' or '0',
        at_once and 'fence' or 'sentAttempt', at_once and head.token or '0') -- who was not sent has none
    call('PEXPIRE', hash, kept)
    if head.more or known[7] then
        call('HSET', hash, 'more', more)
        call('HSET', request, 'moreTo', head.more and digits(now + message_ttl) or '0')
    end
    call('HSET', request, 'status', 'PENDING', 'responseIdCounter', number_text, 'r:' .. response_id, number_text)
    extend(request, kept)
    extend(list, kept)
    call('ZADD', key, score, member)
    extend(key, kept, not top[1])
    call('ZADD', pending, lease_due, member)
    count('responses')
    local place = timestamp .. '.' .. number_text
    if at_once then
        return 'CLAIMED', 0, place
    elseif is_first then
        local now_head = meet_head(conversation, key)
        return now_head.is, (now_head.until_ms or now) - now, place
    end
    return 'WAIT_RESPONSE', 0, place
end
