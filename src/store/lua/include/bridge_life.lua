--- @include bridge_behind
--- @include bridge_bury
--- @include bridge_delivery
--- @include bridge_ledger
--- @include bridge_removal
--- @include bridge_service
--- @include dead_letter
--- @include redis_call
-- Whether further replies are announced, and may still come.
local function announced(now, more_to)
    return more_to and now < tonumber(more_to)
end

-- Gives up a response whose life is over: with what is known of it among the dead letters, when nobody could try it.
local function expire(bridge, head)
    local reason = head.unserved and 'its life ended while no instance served' or nil
    if reason then
        bridge.spent = bridge.spent + 2 + 3 * math.floor(#task_of(bridge, head) / 4096)
        bury_response(bridge, head.member, head, reason)
        call('HDEL', head.own_request, 'r:' .. head.response) -- sent back, it is welcome
    end
    local top, first = forget(bridge, head.key, head.member, head.hash, head.own_request, head.more)
    tell(bridge, 'expired', head.member, head.origin, reason)
    return top, first
end

-- What becomes of the first response, as far as its life decides that: END, DRAIN (what waits in the queues is dealt with before), or
-- nothing. Who was never tried although somebody was there lives on until it was.
local function end_or_keep(bridge, head, is_locked)
    if is_locked or head.is == 'WAIT_ACK' or head.is == 'NO_ACK' then
        return nil
    end
    forget_late_try(bridge, head)
    local is_over = bridge.now >= head.ends
    head.unserved = is_over and ended_unserved(bridge.service, head.ends)
    if head.unserved or is_over and head.attempts > 0 then
        local dead = bridge.rules.dead
        local denied = head.unserved and dead ~= '' and may_add_dead_letter(dead)
        if denied then
            bridge.refused = denied.err
        end
        return (bridge.service.is_draining or denied) and 'DRAIN' or 'END'
    end
    local is_lost = head.is == 'FREE' and (head.attempts > 0 or head.token_lost) and not (head.status == 'AWAITED' and head.awaited_for == 'error')
    return is_lost and bridge.service.awaits_outcomes and 'DRAIN' or nil -- its outcome may be there
end

-- Removes the first response, or the first request, when it is over with. Returns false when it is not; else the first of both
-- that are left, as far as they are known.
local function remove_what_is_over(bridge, head, key, fate)
    if fate == 'END' then
        return true, expire(bridge, head)
    elseif head.is == 'GONE' and head.foreign then
        call('ZREM', key, head.member)
        call('ZREM', bridge.pending, head.member)
        return true
    elseif head.is == 'GONE' then
        local known = call('HMGET', head.own_request, 'sent', 'origin', 'moreTo')
        local top, first = take_out(bridge, key, head.member, head.own_request, announced(bridge.now, known[3]))
        tell(bridge, known[1] == head.response and 'no-ack' or 'expired', head.member, known[2])
        return true, top, first
    elseif head.is == 'NO_ACK' then
        local top, first = forget(bridge, key, head.member, head.hash, head.own_request, head.more)
        tell(bridge, 'no-ack', head.member, head.origin)
        return true, top, first
    elseif head.is == 'PASSED_REQUEST' then
        call('LPOP', key .. ':req')
        if head.expired then
            count(bridge, 'requestsExpired')
        elseif not head.cancelled then
            call('PEXPIRE', head.passed, bridge.dedup_life)
        end
        return true
    end
    return false
end
