--- @include redis_call
-- Whether the gateway of an origin is away, or behind: what is next in its list tells. A token is the time of its delivery, in microseconds.

-- The oldest delivery in the list of an origin: its token and its deadline, as far as they can be read.
local function oldest_delivery(bridge, origin)
    local known = bridge.oldest[origin]
    if not known then
        local text = bridge.out ~= '' and redis.pcall('LINDEX', bridge.out .. ':' .. origin, '-1')
        text = type(text) == 'string' and text or ''
        known = {token = tonumber(string.match(text, '"fence":(%d+)')), deadline = tonumber(string.match(text, '"deadline":(%d+)'))}
        bridge.oldest[origin] = known
    end
    return known
end

-- The oldest is past its deadline. Then each response is pushed once, and takes no room that others could use.
local function is_away(bridge, origin)
    local oldest = oldest_delivery(bridge, origin)
    return oldest.deadline and oldest.deadline < bridge.now or false
end

-- The delivery of this token has not been taken yet: who takes begins with the oldest.
local function is_listed(bridge, origin, token)
    local oldest = oldest_delivery(bridge, origin)
    return oldest.token and oldest.token <= token or false
end

-- A delivery that nobody has answered may still be sent: it waits in the list, or has waited there until lately. Sets `until_ms`, when
-- to look again, and `is_next`, when its gateway is about to take it.
local function may_still_go(bridge, head, token)
    local listed, away = is_listed(bridge, head.origin, token), head.attempts > 0 and is_away(bridge, head.origin)
    if listed or away then
        if listed then
            call('HSET', head.hash, 'grace', '1')
        end
        head.until_ms, head.is_next = bridge.now + math.min(bridge.rules.retries_end, bridge.rules.pending_ttl), not away
        return true
    elseif call('HGET', head.hash, 'grace') == '1' then -- perhaps it is sent at this moment, although it is late
        call('HSET', head.hash, 'grace', '0')
        head.until_ms, head.is_next = bridge.now + bridge.rules.margin, true
        return true
    end
    return false
end

local function has_waited(bridge, token)
    return bridge.now - token / 1000 >= (bridge.rules.pending_ttl - bridge.rules.margin) / 2
end

-- A gateway has answered to a delivery of this token: it is there. It is behind when that delivery was old, and so is the next.
local function note_behind(bridge, origin, token)
    token = tonumber(token) or 0
    if token == 0 or bridge.out == '' or not has_waited(bridge, token) then
        return
    end
    local oldest = oldest_delivery(bridge, origin)
    if oldest.token and has_waited(bridge, oldest.token) and bridge.behind[origin] ~= bridge.now then
        bridge.behind[origin] = bridge.now
        call('HSET', bridge.state_key, 'behind:' .. origin, bridge.now_text)
    end
end

-- A delivery that was lost while its gateway was behind may have come too late to be sent: it was no try.
local function forget_late_try(bridge, head)
    if head.attempts == 0 or not head.token_lost or not head.origin then
        return
    end
    local behind = bridge.behind[head.origin]
    if behind == nil then
        behind = tonumber(call('HGET', bridge.state_key, 'behind:' .. head.origin)) or false
        bridge.behind[head.origin] = behind
    end
    if behind and behind >= head.token_lost / 1000 and tonumber(call('HGET', head.hash, 'late')) ~= head.token_lost then
        head.attempts = head.attempts - 1
        call('HSET', head.hash, 'sentAttempt', head.attempts, 'late', string.format('%.0f', head.token_lost), 'grace', '1')
    end
end
