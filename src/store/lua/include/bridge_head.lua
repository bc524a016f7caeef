--- @include bridge_keys
--- @include redis_call
-- When a life is over that a field tells in seconds. The key lives longer: leat ends lives, when it has done what is to be done then.
local function life_end(expires)
    return ((tonumber(expires) or 0) + 1) * 1000
end

-- What stands in the way of the response at `rank` of a conversation, when the request at `from` is the first that counts:
--   IDLE               there is none
--   GONE               its hash is: it has expired, or was sent and never acknowledged
--   PASSED_REQUEST     the request has expired, was cancelled, or has no reply left; look at the next
--   WAIT_REQUEST       an earlier request has no reply yet, or said that more follow
--   WAIT_ACK           it was sent, and its acknowledgement is awaited
--   NO_ACK             ... for long enough
--   WAIT_BACKOFF       it failed, its next try is not due yet, and its life not over; who waited only because a sibling failed does not
--   WAIT_OUT           it was tried often, and its origin's list took nothing
--   FREE               nothing but perhaps a lease
-- Reads only. `bridge` has requests, responses and now. `until_ms` says when a wait ends at the latest. `top` is the response and `first` the request (false: none), when they
-- are known.
local function look_at_response(bridge, conversation, key, rank, from, top, first)
    top = top or call('ZRANGE', key, rank, rank, 'WITHSCORES')
    local head = {key = key, conversation = conversation, member = top[1], score = tonumber(top[2])}
    if not head.member then
        head.is = 'IDLE'
        return head
    end
    head.request, head.response = ids_of(head.member)
    if not head.request then
        head.is, head.foreign = 'GONE', true
        return head
    end
    head.own_request, head.hash = bridge.requests .. head.request, bridge.responses .. head.response
    local fields = call('HMGET', head.hash, 'status', 'awaitedTo', 'awaitedFor', 'origin', 'sentAttempt', 'awaitedRetries', 'more', 'expiresAtTS',
        'conversationId', 'requestId', 'fence')
    head.status, head.awaited_to, head.awaited_for, head.origin = fields[1], tonumber(fields[2]), fields[3], fields[4]
    head.attempts, head.retries, head.more = tonumber(fields[5]) or 0, tonumber(fields[6]) or 0, fields[7] == '1'
    head.ends, head.token_lost = life_end(fields[8]), fields[11] ~= '0' and tonumber(fields[11]) or nil -- of a delivery without an outcome
    if not head.status or fields[9] ~= conversation or fields[10] ~= head.request then -- or it is another's by now
        head.is = 'GONE'
        return head
    end
    if first == nil then
        first = call('LINDEX', key .. ':req', from)
    end
    if first and first ~= head.own_request then
        local request = call('HMGET', first, 'status', 'requestTimestamp', 'moreTo')
        if not request[1] or request[1] == 'CANCEL' then
            head.is, head.passed, head.cancelled, head.expired = 'PASSED_REQUEST', first, true, not request[1]
            return head
        end
        if tonumber(request[2]) < math.floor(head.score) then
            head.waits_for = first
            if request[1] == 'WAITING' then
                local ends = call('PEXPIRETIME', first)
                head.is, head.until_ms = 'WAIT_REQUEST', ends > 0 and ends + 1 or bridge.now + 1000
                return head
            elseif request[3] and bridge.now < tonumber(request[3]) then
                head.is, head.until_ms = 'WAIT_REQUEST', tonumber(request[3])
                return head
            end
            head.is, head.passed = 'PASSED_REQUEST', first
            return head
        end
    end
    if head.status == 'SENT' then
        head.until_ms = head.awaited_to or bridge.now
        head.is = bridge.now < head.until_ms and 'WAIT_ACK' or 'NO_ACK'
    elseif head.status == 'AWAITED' and (head.awaited_for == 'error' or head.awaited_for == 'retries')
        and head.awaited_to and bridge.now < head.awaited_to and (head.attempts == 0 or bridge.now < head.ends) then
        head.is = head.awaited_for == 'error' and 'WAIT_BACKOFF' or 'WAIT_OUT'
        head.until_ms = head.attempts == 0 and head.awaited_to or math.min(head.awaited_to, head.ends)
    else
        head.is = 'FREE'
    end
    return head
end

-- A lease: who may send the first response of a conversation, and which. The key's expiry ends it.
local function read_lock(lock, text)
    text = text or call('GET', lock)
    if not text then
        return nil
    end
    local token, holder, more, response = string.match(text, '^{"tok":(%d+),"owner":"([^"]*)","more":(%d),"rs":(.*)}$')
    return {token = tonumber(token) or 0, holder = holder or '', more = more == '1', json_response = response}
end
