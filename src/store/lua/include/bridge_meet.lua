--- @include bridge_behind
--- @include bridge_claim
--- @include bridge_dates
--- @include bridge_head
--- @include bridge_life
--- @include bridge_ledger
--- @include bridge_limits
--- @include bridge_removal
--- @include numbers
--- @include redis_call
-- Removes what is over at the head of a conversation. Returns the head that is left, and whether another holds the lease (nil: nobody
-- has looked). `lease`, `top` and `first` as for meet_head.
local function clear_head(bridge, conversation, key, lease, top, first)
    local head, is_locked, removed
    repeat
        bridge.spent = bridge.spent + 1
        head = look_at_response(bridge, conversation, key, 0, 0, top, first)
        local fate = nil
        if head.status and (bridge.now >= head.ends or head.attempts > 0) then
            if is_locked == nil then
                is_locked = not lease and call('EXISTS', key .. ':lock') == 1
            end
            fate = end_or_keep(bridge, head, is_locked)
        end
        if fate == 'DRAIN' or head.member and bridge.spent > 2 * enough then
            head.is, head.until_ms = 'WAIT_DRAIN', bridge.now + (fate == 'DRAIN' and 500 or 0)
            break
        end
        removed, top, first = remove_what_is_over(bridge, head, key, fate)
    until not removed
    return head, is_locked
end

-- Its list took nothing, or its gateway is away: after so many tries in vain it is awaited for a time, and tried so often again.
local function count_in_vain(bridge, head)
    local tries = (tonumber(call('HGET', head.hash, 'tries')) or 0) + 1
    if tries < bridge.rules.max_retries then
        return call('HSET', head.hash, 'tries', whole(tries))
    end
    head.until_ms = bridge.now + bridge.rules.retries_end
    local failed = head.status == 'AWAITED' and head.awaited_for == 'error'
    call('HSET', head.hash, 'tries', '0', 'status', 'AWAITED', 'awaitedFor', failed and 'error' or 'retries', 'awaitedTo', whole(head.until_ms),
        'awaitedToDateTS', seconds(head.until_ms))
    count(bridge, 'retriesEnded')
end

-- Nothing but perhaps a lease stands in the way of the first response: claims it. Returns whether that was done; else `head` says what it
-- waits for.
local function claim_free(bridge, head, key, lease, is_locked)
    if not lease and (is_locked or is_locked == nil and call('EXISTS', key .. ':lock') == 1) then
        local ends = call('PEXPIRETIME', key .. ':lock')
        head.is, head.until_ms = 'WAIT_LEASE', ends > 0 and ends + 1 or bridge.now + 1000
    elseif bridge.room <= 0 and not is_away(bridge, head.origin) then
        head.is, bridge.ready = 'READY', bridge.ready + 1
        if head.status ~= 'WAITING' then
            call('HSET', head.hash, 'status', 'WAITING')
        end
        call('ZADD', bridge.pending, 'LT', due_score(bridge.now), head.member) -- who waits longest is first
    elseif claim(bridge, head) then
        head.is = 'CLAIMED'
        return true
    else
        head.is = 'WAIT_OUT'
        if not head.is_next then
            count_in_vain(bridge, head)
        end
    end
    return false
end

-- Removes what stands in the way and is over, then claims the first response, or says what it waits for and has it looked at
-- when that ends. `lease` is the caller's own, which ends with this call; `top` is the first response and `first` the first request,
-- when they are known.
local function meet_head(bridge, conversation, key, lease, top, first)
    local head, is_locked = clear_head(bridge, conversation, key, lease, top, first)
    if head.is == 'FREE' then
        if claim_free(bridge, head, key, lease, is_locked) then
            return head
        end
    elseif head.is == 'IDLE' then
        close_answered(bridge, key .. ':req')
    end
    if lease then
        call('DEL', key .. ':lock')
    end
    if head.until_ms then
        due_in_life(bridge, head.member, head.until_ms, head.ends)
    end
    return head
end
