--- @include bridge_behind
--- @include bridge_delivery
--- @include bridge_keys
--- @include bridge_ledger
--- @include bridge_service
--- @include redis_call
-- The text of a conversation's lease; read_lock reads it.
local function lock_text(owner, token, more, json_response)
    return '{"tok":' .. token .. ',"owner":"' .. owner .. (more and '","more":1,"rs":' or '","more":0,"rs":') .. json_response .. '}'
end

-- The response is the caller's to send, alone in its conversation, until the lease ends. False: it cannot be handed over now; then
-- nothing is done. `is_new`: the caller writes what is known of it.
local function claim(bridge, head, is_new)
    local token = next_fence(bridge.service)
    local failed = head.status == 'AWAITED' and head.awaited_for == 'error'
    local again = head.attempts > 0 or failed
    if not hand_over(bridge, head, token, not failed and head.token_lost) then
        return false
    end
    call('SET', head.key .. ':lock',
        lock_text(bridge.owner, token, head.more, json_response_of(head.member, head.request, head.response, head.conversation)),
        'PX', bridge.lease_life)
    if not is_away(bridge, head.origin) then
        bridge.claimed, bridge.room = bridge.claimed + 1, bridge.room - 1
    end
    head.token = token
    if is_new then
        return true
    end
    call('HSET', head.hash, 'status', 'PENDING', 'sentAttempt', head.attempts + 1, 'lastAccess', bridge.now_text,
        'awaitedRetries', head.retries + (again and 1 or 0), 'fence', token)
    call('ZADD', bridge.pending, bridge.lease_due, head.member)
    if again then
        count(bridge, 'retried')
    end
    return true
end
