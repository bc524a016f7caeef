--- @include bridge_head
--- @include bridge_ledger
--- @include bridge_bury
-- Removal, closing and claiming: what a conversation goes through when its first response can go.
local claims, claimed, ready = {}, 0, 0
-- Redis does nothing else while a script runs. So a call counts what it does, about ten microseconds each, and leaves the rest for
-- the next call when that is enough.
local spent, enough = 0, 300
local refused = '' -- why nothing could be pushed to an origin's list
local lease_end = now + pending_ttl
local lease_due, lease_deadline = due_score(lease_end), digits(lease_end - margin)

-- No reply of the request is left, and none is announced: it steps out of the list and stays for a while as a tombstone, so that
-- a reply that comes late, or twice, is known for what it is.
local function close_request(list, request, first)
    if first == request then
        call('LPOP', list)
    elseif first then
        call('LREM', list, 1, request)
    end
    call('PEXPIRE', request, tombstone_life)
end

-- Requests at the front of the list whose replies are all gone, when no response is left.
local function close_answered(list)
    for _ = 1, 1000 do
        local first = call('LINDEX', list, '0')
        if not first then
            return
        end
        local request = call('HMGET', first, 'status', 'moreTo')
        if not request[1] then
            count('requestsExpired')
        end
        if request[1] and (request[1] == 'WAITING' or request[2] and now < tonumber(request[2])) then
            return
        end
        call('LPOP', list)
        if request[1] == 'PENDING' then
            call('PEXPIRE', first, tombstone_life)
        end
    end
end

-- What answers the same request.
local function members_of_group(key, timestamp, group)
    local found = {}
    for _, member in ipairs(call('ZRANGE', key, digits(timestamp), '(' .. digits(timestamp + 1), 'BYSCORE')) do
        if string.sub(member, 1, #group) == group then
            found[#found + 1] = member
        end
    end
    return found
end

-- Whether a sibling of what was taken out is left. The next one tells, but for a late reply to an earlier request, which may stand
-- before them all.
local function has_sibling(key, member, score, top)
    if is_sibling(top[1], member) then
        return true
    end
    local timestamp = math.floor(tonumber(score))
    return tonumber(top[2]) < timestamp + 1 and #members_of_group(key, timestamp, group_of(member)) > 0
end

-- Takes a response out, and closes its request when it was the last. Returns the first response and the first request (false:
-- none) that are left; nil when somebody has taken it out before. A wrong type of either key is found before anything is written.
local function take_out(key, member, request, held)
    local list, top, score = key .. ':req', {}, nil
    local two = call('LRANGE', list, '0', '1')
    if call('ZCARD', key) > 1 then
        top = call('ZRANGE', key, '0', '1', 'WITHSCORES')
        score = top[2]
        if top[1] == member then
            top[1], top[2] = top[3], top[4]
        else
            score = call('ZSCORE', key, member)
        end
    end
    if call('ZREM', key, member) == 0 then
        return nil
    end
    call('ZREM', pending, member)
    local first = two[1] or false
    if held or top[1] and has_sibling(key, member, score, top) then
        return top, first
    end
    close_request(list, request, first)
    if first == request then
        first = two[2] or false
    end
    return top, first
end
local function forget(key, member, hash, request, held)
    local top, first = take_out(key, member, request, held)
    call('DEL', hash)
    return top, first
end

-- The time of its request and its number among the replies, as texts.
local function place_of(head)
    if head.timestamp then
        return head.timestamp, head.number
    end
    local timestamp = math.floor(head.score)
    return digits(timestamp), digits((head.score - timestamp) * 4096)
end

local origins = {} -- as JSON has them
local function delivery_of(head, token)
    local request, response, conversation = json_ids_of(head.member)
    local timestamp, number = place_of(head)
    origins[head.origin] = origins[head.origin] or cjson.encode(head.origin)
    local text = '{"conversationId":' .. conversation .. ',"requestId":' .. request .. ',"responseId":' .. response ..
        ',"origin":' .. origins[head.origin] .. ',"order":"' .. timestamp .. '.' .. number ..
        '","fence":' .. token .. ',"deadline":' .. lease_deadline .. ',"attempt":' .. head.attempts + 1
    if string.byte(head.task, 1) ~= 123 or head.task == '{}' then -- a brace
        return text .. '}'
    end
    return text .. ',' .. string.sub(head.task, 2)
end

-- An origin's gateway is away, or far behind, when the oldest delivery in its list is past its deadline. Then each response is pushed
-- once, and takes no room that others could use.
local away = {} -- by origin
local function is_away(origin)
    if away[origin] == nil and out == '' then
        away[origin] = false
    elseif away[origin] == nil then
        local oldest = redis.pcall('LINDEX', out .. ':' .. origin, '-1')
        local deadline = type(oldest) == 'string' and tonumber(string.match(oldest, '"deadline":(%d+)'))
        away[origin] = deadline and deadline < now or false
    end
    return away[origin]
end

-- Pushes a delivery, or hands the response over. False: that is not possible now; then nothing is done.
local function hand_over(head, token, is_lost)
    if out == '' then
        local at, timestamp, number = #claims, place_of(head)
        claims[at + 1], claims[at + 2], claims[at + 3], claims[at + 4] = head.member, token, timestamp, number
        claims[at + 5], claims[at + 6], claims[at + 7] = head.attempts == 0 and '1' or digits(head.attempts + 1), head.origin, head.task
        return true
    end
    if is_lost and is_away(head.origin) then
        head.until_ms = now + math.min(5000, pending_ttl)
        return false
    end
    local list = out .. ':' .. head.origin
    spent = spent + math.floor(#head.task / 4096)
    local pushed = redis.pcall('LPUSH', list, delivery_of(head, token))
    if type(pushed) == 'table' then
        refused, head.until_ms = pushed.err .. ' key=' .. list, now + 1000
        return false
    end
    return true
end

local function lock_text(token, more, json_response)
    return '{"tok":' .. token .. ',"owner":"' .. owner .. (more and '","more":1,"rs":' or '","more":0,"rs":') .. json_response .. '}'
end

-- The response is the caller's to send, alone in its conversation, until the lease ends.
local function claim(head, is_new)
    local token = next_fence()
    local failed = head.status == 'AWAITED' and head.awaited_for == 'error'
    local again = head.attempts > 0 or failed
    if not hand_over(head, token, head.attempts > 0 and not failed) then
        return false
    end
    call('SET', head.key .. ':lock', lock_text(token, head.more, json_response_of(head.member, head.request, head.response, head.conversation)),
        'PX', lease_life)
    if not is_away(head.origin) then
        claimed, room = claimed + 1, room - 1
    end
    head.token = token
    if is_new then
        return true
    end
    call('HSET', head.hash, 'status', 'PENDING', 'sentAttempt', head.attempts + 1, 'lastAccess', now_text, 'awaitedRetries', head.retries + (again and 1 or 0),
        'fence', token)
    call('ZADD', pending, lease_due, head.member)
    if again then
        count('retried')
    end
    return true
end

-- Whether further replies are announced, and may still come.
local function announced(more_to)
    return more_to and now < tonumber(more_to)
end

-- Gives up a response whose life is over: with what is known of it among the dead letters, when nobody could try it.
local function give_up(head)
    local reason = head.unserved and 'its life ended while no instance served' or nil
    if reason then
        spent = spent + 2 + math.floor(#(head.task or '') / 1024)
        bury_response(head.member, head, reason)
        call('HDEL', head.own_request, 'r:' .. head.response) -- sent back, it is welcome
    end
    local top, first = forget(head.key, head.member, head.hash, head.own_request, head.more)
    tell('expired', head.member, head.origin, reason)
    return top, first
end

-- What becomes of the first response, as far as its life decides that: END, DRAIN (what waits in the queues is dealt with before), or
-- nothing. Who was never tried although somebody was there lives on until it was.
local function judge_life(head, is_locked)
    if is_locked or head.is == 'WAIT_ACK' or head.is == 'NO_ACK' then
        return nil
    end
    local is_over = now >= head.ends
    head.unserved = is_over and ended_unserved(head.ends)
    if head.unserved or is_over and head.attempts > 0 then
        local denied = head.unserved and dead ~= '' and may_bury(dead)
        if denied then
            refused = denied.err
        end
        return (is_draining or denied) and 'DRAIN' or 'END'
    end
    local is_lost = head.is == 'FREE' and head.attempts > 0 and not (head.status == 'AWAITED' and head.awaited_for == 'error')
    return is_lost and awaits_outcomes and 'DRAIN' or nil -- its outcome may be there
end

-- Removes the first response, or the first request, when it is over with. Returns false when it is not; else the first of both
-- that are left, as far as they are known.
local function remove_what_is_over(head, key, fate)
    if fate == 'END' then
        return true, give_up(head)
    elseif head.is == 'GONE' and head.foreign then
        call('ZREM', key, head.member)
        call('ZREM', pending, head.member)
        return true
    elseif head.is == 'GONE' then
        local known = call('HMGET', head.own_request, 'sent', 'origin', 'moreTo')
        local top, first = take_out(key, head.member, head.own_request, announced(known[3]))
        tell(known[1] == head.response and 'no-ack' or 'expired', head.member, known[2])
        return true, top, first
    elseif head.is == 'NO_ACK' then
        local top, first = forget(key, head.member, head.hash, head.own_request, head.more)
        tell('no-ack', head.member, head.origin)
        return true, top, first
    elseif head.is == 'PASSED_REQUEST' then
        call('LPOP', key .. ':req')
        if head.expired then
            count('requestsExpired')
        elseif not head.cancelled then
            call('PEXPIRE', head.passed, tombstone_life)
        end
        return true
    end
    return false
end

-- Removes what stands in the way and is over, then claims the first response, or says what it waits for and has it looked at
-- when that ends. `lease` is the caller's own, which ends with this call; `top` is the first response and `first` the first request,
-- when they are known.
local function meet_head(conversation, key, lease, top, first)
    local head, is_locked, removed
    repeat
        spent = spent + 1
        head = judge(conversation, key, 0, 0, top, first)
        local fate = nil
        if head.status and (now >= head.ends or head.attempts > 0) then
            if is_locked == nil then
                is_locked = not lease and call('EXISTS', key .. ':lock') == 1
            end
            fate = judge_life(head, is_locked)
        end
        if fate == 'DRAIN' or head.member and spent > 2 * enough then
            head.is, head.until_ms = 'WAIT_DRAIN', now + (fate == 'DRAIN' and 500 or 0)
            break
        end
        removed, top, first = remove_what_is_over(head, key, fate)
    until not removed
    if head.is == 'FREE' then
        if not lease and (is_locked or is_locked == nil and call('EXISTS', key .. ':lock') == 1) then
            local ends = call('PEXPIRETIME', key .. ':lock')
            head.is, head.until_ms = 'WAIT_LEASE', ends > 0 and ends + 1 or now + 1000
        elseif room <= 0 and not is_away(head.origin) then
            head.is, ready = 'READY', ready + 1
            if head.status ~= 'WAITING' then
                call('HSET', head.hash, 'status', 'WAITING')
            end
            call('ZADD', pending, 'LT', due_score(now), head.member) -- who waits longest is first
        elseif claim(head) then
            head.is = 'CLAIMED'
            return head
        else
            head.is = 'WAIT_OUT'
        end
    elseif head.is == 'IDLE' then
        close_answered(key .. ':req')
    end
    if lease then
        call('DEL', key .. ':lock')
    end
    if head.until_ms then
        due_in_life(head.member, head.until_ms, head.ends)
    end
    return head
end
