--- @include bridge_group
-- The outcome of a send, and an acknowledgement. Each unblocks its conversation.
local function fail(key, member, timestamp, attempts, retries, reason, pause)
    if max_attempts > 0 and attempts >= max_attempts then
        local request = ids_of(member)
        cancel_group(key, requests .. request, timestamp, group_of(member), reason)
        return 'CANCELLED'
    end
    await_group(key, timestamp, group_of(member), now + backoff(retries, pause), reason, member)
    return 'AWAITED'
end

-- What an early acknowledgement leaves under its name: its word, whose it is, and behind a new line why it failed. Returns the word
-- and the reason when it is this origin's, or nobody's in particular.
local function read_mark(text, origin)
    local early, rest = string.match(text or '', '^(N?ACK[rf]?):(.*)$')
    for _, by in ipairs(early and {origin, ''} or {}) do
        if rest == by or string.sub(rest, 1, #by + 1) == by .. '\n' then
            return early, string.sub(rest, #by + 2)
        end
    end
end

-- The client took it and will acknowledge it under a name of its own. That may have happened already: whoever of the two comes
-- second finds what the first has left under the name.
local function sent(member, hash, request, response, name, origin, expires)
    local mark = names .. name
    local before = call('SET', mark, member, 'NX', 'GET', 'PX', sent_life)
    local early, reason = read_mark(before, origin)
    if early then
        count('ackEarly')
        return early, reason
    end
    if before then
        count('ackConflict') -- two clients use one name: this one's acknowledgement cannot be told from the other's
    end
    local deadline = now + sent_ttl
    call('HSET', hash, 'status', 'SENT', 'asyncResponseId', name, 'awaitedTo', digits(deadline), 'awaitedToDateTS', seconds(deadline),
        'expiresAtTS', seconds(deadline), 'lifeTS', expires or seconds(deadline), 'fence', '0')
    call('PEXPIRE', hash, sent_life)
    if call('EXISTS', request) == 1 then
        call('HSET', request, 'sent', response)
    end
    due_at(member, deadline)
    return 'SENT'
end

-- The lease under which it was sent. One that has ended counts as long as nobody was given another; nil when somebody was.
local function lease_of(lock, token, json_response, hash, conversation, request_id)
    local text = call('GET', lock)
    if text == lock_text(token, false, json_response) then -- as almost always
        return {more = false}
    elseif text then
        local lease = read_lock(lock, text)
        return lease.token == tonumber(token) and lease.json_response == json_response and lease or nil
    end
    local known = redis.pcall('HMGET', hash, 'fence', 'more', 'conversationId', 'requestId')
    local is_last = not known.err and token ~= '0' and known[1] == token and known[3] == conversation and known[4] == request_id
    return is_last and {more = known[2] == '1'} or nil
end

-- Returns DELIVERED, SENT, AWAITED, CANCELLED; FENCED when the lease is another's or over, and GONE when the response was removed
-- meanwhile.
local function complete(key, conversation, request_id, response_id, member, token, outcome, detail, pause, origin)
    local lock = key .. ':lock'
    local lease = lease_of(lock, token, json_response_of(member, request_id, response_id, conversation), responses .. response_id,
        conversation, request_id)
    if not lease then
        count('fenced')
        return 'FENCED', 0, ''
    end
    local hash, request, state = responses .. response_id, requests .. request_id, 'GONE'
    if outcome == 's' then
        local top, first = take_out(key, member, request, lease.more)
        if not top and (call('HGET', hash, 'requestId') or request_id) ~= request_id then
            count('fenced') -- it is the reply to another request
            return 'FENCED', 0, ''
        end
        if origin == '' then -- whoever answers need not say it
            origin = redis.pcall('HGET', hash, 'origin')
            origin = type(origin) == 'string' and origin or ''
        end
        if top then
            state = 'DELIVERED'
            tell('delivered', member, origin)
        end
        if top and (top[1] or first) then
            call('DEL', hash)
            meet_head(conversation, key, lease, top, first)
        else
            call('DEL', hash, lock)
            if not top then
                meet_head(conversation, key)
            end
        end
        return state, 0, ''
    end
    local fields = call('HMGET', hash, 'origin', 'requestTimestamp', 'sentAttempt', 'awaitedRetries', 'requestId', 'expiresAtTS')
    if fields[5] and fields[5] ~= request_id then
        count('fenced')
        return 'FENCED', 0, ''
    end
    if fields[1] and call('ZSCORE', key, member) then
        local early_mark, detail_name = nil, detail
        if outcome == 'a' then
            local reason
            state, reason = sent(member, hash, request, response_id, detail, fields[1], fields[6])
            if state == 'NACKr' or state == 'NACKf' then
                outcome, detail = string.sub(state, 5), reason
            end
            early_mark = state ~= 'SENT' and names .. detail_name or nil
            if state == 'ACK' then
                forget(key, member, hash, request, lease.more)
                tell('delivered', member, fields[1])
                state = 'DELIVERED'
            end
        end
        if outcome == 'r' then
            state = fail(key, member, tonumber(fields[2]), tonumber(fields[3]) or 1, tonumber(fields[4]) or 0, detail, pause)
        elseif outcome == 'f' then
            cancel_group(key, request, tonumber(fields[2]), group_of(member), detail)
            state = 'CANCELLED'
        end
        if early_mark then -- last: what raises before it can be done again
            call('DEL', early_mark)
        end
    end
    meet_head(conversation, key, lease)
    return state, 0, ''
end

-- Returns DELIVERED, AWAITED or CANCELLED; EARLY when nothing was sent under this name (yet), LATE when it is over with,
-- CONFLICT when it is another origin's.
local function acknowledge(by, name, outcome, reason)
    local mark = names .. name
    local member = call('GET', mark)
    if not member or string.match(member, '^N?ACK[rf]?:') then
        local word = outcome == 's' and 'ACK:' .. by or 'NACK' .. outcome .. ':' .. by .. '\n' .. reason
        call('SET', mark, word, 'NX', 'PX', sent_life)
        count('ackUnmatched')
        return 'EARLY', 0, ''
    end
    local request_id, response, conversation = ids_of(member)
    if not response then
        return 'LATE', 0, ''
    end
    local key, hash, request = conversation_key(conversation), responses .. response, requests .. request_id
    local fields = call('HMGET', hash, 'status', 'origin', 'requestTimestamp', 'sentAttempt', 'awaitedRetries', 'more')
    if fields[1] and by ~= '' and by ~= fields[2] then
        return 'CONFLICT', 0, 'it was sent to another origin'
    end
    if fields[1] ~= 'SENT' then
        call('DEL', mark)
        count('ackLate')
        return 'LATE', 0, ''
    end
    local state = 'DELIVERED'
    if outcome == 's' then
        forget(key, member, hash, request, fields[6] == '1')
        tell('delivered', member, fields[2])
    elseif outcome == 'r' then
        state = fail(key, member, tonumber(fields[3]), tonumber(fields[4]) or 1, tonumber(fields[5]) or 0, reason)
    else
        cancel_group(key, request, tonumber(fields[3]), group_of(member), reason)
        state = 'CANCELLED'
    end
    call('DEL', mark)
    meet_head(conversation, key)
    return state, 0, ''
end
