--- @include bridge_dates
--- @include bridge_ledger
--- @include bridge_limits
--- @include numbers
--- @include redis_call
-- Requests at the tail of their conversation.

-- The time of a conversation's last request or response. Requests at the tail that have died are removed: what is before them
-- may be later than what follows would be. nil: there are too many for one call.
local function last_timestamp(bridge, key, list, length)
    local top = call('ZRANGE', key, '0', '0', 'REV', 'WITHSCORES')
    local last = math.floor(tonumber(top[2]) or 0)
    for _ = 1, length do
        local tail = call('LINDEX', list, '-1')
        local timestamp = tail and tonumber(call('HGET', tail, 'requestTimestamp'))
        if timestamp then
            return math.max(last, timestamp)
        end
        if bridge.spent >= enough and not bridge.keeps_order then
            return nil
        end
        bridge.spent = bridge.spent + 0.3
        if call('RPOP', list) then
            count(bridge, 'requestsExpired')
        end
    end
    return last
end

local function write_request(list, request, conversation, origin, id, timestamp, status, life, expires)
    extend(list, life, call('RPUSH', list, request) == 1)
    call('HSET', request, 'conversationId', conversation, 'origin', origin, 'requestId', id, 'requestTimestamp', timestamp, 'status', status,
        'responseIdCounter', '0', 'expiresAtTS', expires)
    call('PEXPIRE', request, life)
end

-- A request at the tail of its conversation: its time is after that of all before it, whatever the clocks say. Returns it; nil: nothing
-- was done, the next call goes on.
local function add_request(bridge, key, length, request, conversation, origin, id, timestamp, status, life, expires)
    local list = key .. ':req'
    local last = last_timestamp(bridge, key, list, length)
    if not last then
        return nil
    end
    timestamp = whole(math.max(timestamp, last + 1))
    if length > 0 then -- what an expired one of this name has left
        call('LREM', list, 0, request)
    end
    write_request(list, request, conversation, origin, id, timestamp, status, life, expires)
    return timestamp
end

-- Requests that have died are met when it is their turn; until then they take no room. Returns how many there were among the oldest.
local function drop_dead_requests(bridge, list)
    local dropped = 0
    for _, request in ipairs(call('LRANGE', list, '0', '999')) do
        bridge.spent = bridge.spent + 0.3
        if call('EXISTS', request) == 0 then
            dropped = dropped + call('LREM', list, 1, request)
        end
    end
    count(bridge, 'requestsExpired', dropped)
    return dropped
end

-- Returns what was made of it: REGISTERED or EXISTING with its timestamp, CONFLICT, FULL.
local function register(bridge, key, conversation, origin, id, timestamp)
    local request, list = bridge.requests .. id, key .. ':req'
    if timestamp == '0' then
        timestamp = bridge.now_text
    elseif tonumber(timestamp) > bridge.now + 86400000 then -- a clock that is years ahead must not bring those after it to where scores are not exact
        timestamp = whole(bridge.now + 86400000)
    end
    local expires = date_after(bridge, bridge.rules.message_ttl)
    if call('EXISTS', request, key, list) == 0 then -- nothing is known of any of it
        write_request(list, request, conversation, origin, id, timestamp, 'WAITING', bridge.request_life, expires)
        count(bridge, 'requests')
        return 'REGISTERED', 0, timestamp
    end
    if call('EXISTS', request) == 1 then
        local known = call('HMGET', request, 'conversationId', 'origin', 'requestTimestamp')
        if known[1] ~= conversation or known[2] ~= origin then
            return 'CONFLICT', 0, 'the request belongs to another conversation or origin'
        end
        return 'EXISTING', 0, known[3]
    end
    local length, capacity = call('LLEN', list), bridge.rules.capacity
    if capacity > 0 and length >= capacity then
        length = length - drop_dead_requests(bridge, list)
    end
    if capacity > 0 and length >= capacity then
        count(bridge, 'full')
        return 'FULL', 0, 'the conversation has ' .. length .. ' requests'
    end
    timestamp = add_request(bridge, key, length, request, conversation, origin, id, tonumber(timestamp), 'WAITING', bridge.request_life, expires)
    if not timestamp then
        return 'AGAIN', 0, ''
    end
    count(bridge, 'requests')
    return 'REGISTERED', 0, timestamp
end
