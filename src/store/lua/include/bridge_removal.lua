--- @include bridge_keys
--- @include bridge_ledger
--- @include numbers
--- @include redis_call
-- Taking responses and requests out of their conversation.

-- No reply of the request is left, and none is announced: it steps out of the list and stays for a while as a tombstone, so that
-- a reply that comes late, or twice, is known for what it is.
local function close_request(bridge, list, request, first)
    if first == request then
        call('LPOP', list)
    elseif first then
        call('LREM', list, 1, request)
    end
    call('PEXPIRE', request, bridge.dedup_life)
end

-- Requests at the front of the list whose replies are all gone, when no response is left.
local function close_answered(bridge, list)
    for _ = 1, 1000 do
        local first = call('LINDEX', list, '0')
        if not first then
            return
        end
        local request = call('HMGET', first, 'status', 'moreTo')
        bridge.spent = bridge.spent + 0.3
        if not request[1] then
            count(bridge, 'requestsExpired')
        end
        if request[1] and (request[1] == 'WAITING' or request[2] and bridge.now < tonumber(request[2])) then
            return
        end
        call('LPOP', list)
        if request[1] == 'PENDING' then
            call('PEXPIRE', first, bridge.dedup_life)
        end
    end
end

-- What answers the same request.
local function members_of_group(key, timestamp, group)
    local found = {}
    for _, member in ipairs(call('ZRANGE', key, whole(timestamp), '(' .. whole(timestamp + 1), 'BYSCORE')) do
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
    local timestamp, from = math.floor(tonumber(score)), 0
    if tonumber(top[2]) >= timestamp + 1 then
        return false
    end
    repeat -- nearly always the first is one, and a group may have thousands
        local page = call('ZRANGE', key, whole(timestamp), '(' .. whole(timestamp + 1), 'BYSCORE', 'LIMIT', whole(from), '16')
        for _, other in ipairs(page) do
            if is_sibling(other, member) then
                return true
            end
        end
        from = from + 16
    until #page < 16
    return false
end

-- Takes a response out, and closes its request when it was the last. Returns the first response and the first request (false:
-- none) that are left; nil when somebody has taken it out before. A wrong type of either key is found before anything is written.
local function take_out(bridge, key, member, request, held)
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
    call('ZREM', bridge.pending, member)
    local first = two[1] or false
    if held or top[1] and has_sibling(key, member, score, top) then
        return top, first
    end
    close_request(bridge, list, request, first)
    if first == request then
        first = two[2] or false
    end
    return top, first
end

-- ... and forgets it.
local function forget(bridge, key, member, hash, request, held)
    local top, first = take_out(bridge, key, member, request, held)
    call('DEL', hash)
    return top, first
end
