--- @include bridge_behind
--- @include bridge_claim
--- @include bridge_fail
--- @include bridge_group
--- @include bridge_head
--- @include bridge_keys
--- @include bridge_ledger
--- @include bridge_meet
--- @include bridge_removal
--- @include bridge_sent
--- @include redis_call
-- The outcome of a send: it unblocks its conversation. `it` names the response: key, conversation, request_id, response_id, member,
-- hash and request (keys), and the token of the lease under which it was sent.

-- That lease. One that has ended counts as long as nobody was given another; nil when somebody was.
local function lease_of(bridge, it)
    local json_response = json_response_of(it.member, it.request_id, it.response_id, it.conversation)
    local lock = it.key .. ':lock'
    local text = call('GET', lock)
    if text == lock_text(bridge.owner, it.token, false, json_response) then -- as almost always
        return {more = false}
    elseif text then
        local lease = read_lock(lock, text)
        return lease.token == tonumber(it.token) and lease.json_response == json_response and lease or nil
    end
    local known = redis.pcall('HMGET', it.hash, 'fence', 'more', 'conversationId', 'requestId')
    local is_last = not known.err and it.token ~= '0' and known[1] == it.token and known[3] == it.conversation and known[4] == it.request_id
    return is_last and {more = known[2] == '1'} or nil
end

local function fenced(bridge)
    count(bridge, 'fenced')
    return 'FENCED', 0, ''
end

local function deliver(bridge, it, lease, origin)
    local top, first = take_out(bridge, it.key, it.member, it.request, lease.more)
    if not top and (call('HGET', it.hash, 'requestId') or it.request_id) ~= it.request_id then
        return fenced(bridge) -- it is the reply to another request
    end
    if origin == '' then -- whoever answers need not say it
        origin = redis.pcall('HGET', it.hash, 'origin')
        origin = type(origin) == 'string' and origin or ''
    end
    if not top then
        call('DEL', it.hash, it.key .. ':lock')
        meet_head(bridge, it.conversation, it.key)
        return 'GONE', 0, ''
    end
    note_behind(bridge, origin, it.token)
    tell(bridge, 'delivered', it.member, origin)
    if top[1] or first then
        call('DEL', it.hash)
        meet_head(bridge, it.conversation, it.key, lease, top, first)
    else
        call('DEL', it.hash, it.key .. ':lock')
    end
    return 'DELIVERED', 0, ''
end

-- It is there: what became of it. `fields` are origin, requestTimestamp, sentAttempt, awaitedRetries, requestId and expiresAtTS.
local function conclude(bridge, it, lease, fields, outcome, detail, delay)
    local state, mark = 'GONE', nil
    if outcome == 'a' then
        local reason
        state, reason = note_sent(bridge, it.member, it.hash, it.request, it.response_id, detail, fields[1], fields[6])
        mark = state ~= 'SENT' and bridge.names .. detail or nil
        if state == 'NACKr' or state == 'NACKf' then
            outcome, detail = string.sub(state, 5), reason
        end
        if state == 'ACK' then
            forget(bridge, it.key, it.member, it.hash, it.request, lease.more)
            tell(bridge, 'delivered', it.member, fields[1])
            state = 'DELIVERED'
        end
    end
    if outcome == 'r' then
        state = fail(bridge, it.key, it.member, tonumber(fields[2]), tonumber(fields[3]) or 1, tonumber(fields[4]) or 0, detail, delay)
    elseif outcome == 'f' then
        cancel_group(bridge, it.key, it.request, tonumber(fields[2]), group_of(it.member), detail)
        state = 'CANCELLED'
    end
    if mark then -- last: what raises before it can be done again
        call('DEL', mark)
    end
    return state
end

-- Returns DELIVERED, SENT, AWAITED, CANCELLED; FENCED when the lease is another's or over, and GONE when the response was removed
-- meanwhile. `outcome` is s, a, r or f; `detail` a name or a reason.
local function complete(bridge, it, outcome, detail, delay, origin)
    it.hash, it.request = bridge.responses .. it.response_id, bridge.requests .. it.request_id
    local lease = lease_of(bridge, it)
    if not lease then
        return fenced(bridge)
    end
    if outcome == 's' then
        return deliver(bridge, it, lease, origin)
    end
    local fields = call('HMGET', it.hash, 'origin', 'requestTimestamp', 'sentAttempt', 'awaitedRetries', 'requestId', 'expiresAtTS')
    if fields[5] and fields[5] ~= it.request_id then
        return fenced(bridge)
    end
    local is_there = fields[1] and call('ZSCORE', it.key, it.member)
    note_behind(bridge, fields[1] or '', it.token)
    local state = is_there and conclude(bridge, it, lease, fields, outcome, detail, delay) or 'GONE'
    meet_head(bridge, it.conversation, it.key, lease)
    return state, 0, ''
end
