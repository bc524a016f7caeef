--- @include bridge_behind
--- @include bridge_keys
--- @include numbers
--- @include redis_call
-- A response on its way out: pushed to the list of its origin, or handed over to the caller.

-- The time of its request and its number among the replies, as texts.
local function order_of(head)
    if head.timestamp then
        return head.timestamp, head.number
    end
    local timestamp = math.floor(head.score)
    return whole(timestamp), whole((head.score - timestamp) * 4096)
end

-- The body of a response, which may be large: it is read when it goes out, and not with what else is known of it.
local function task_of(bridge, head)
    head.task = head.task or call('HGET', head.hash, 'taskItem') or ''
    bridge.spent = bridge.spent + math.floor(#head.task / 4096)
    return head.task
end

local function delivery_of(bridge, head, token, task)
    local request, response, conversation = json_ids_of(head.member)
    local timestamp, number = order_of(head)
    local origin = bridge.origins[head.origin]
    if not origin then
        origin = cjson.encode(head.origin)
        bridge.origins[head.origin] = origin
    end
    local text = '{"conversationId":' .. conversation .. ',"requestId":' .. request .. ',"responseId":' .. response ..
        ',"origin":' .. origin .. ',"order":"' .. timestamp .. '.' .. number ..
        '","fence":' .. token .. ',"deadline":' .. bridge.lease_deadline .. ',"attempt":' .. head.attempts + 1
    if string.byte(task, 1) ~= 123 or task == '{}' then -- a brace
        return text .. '}'
    end
    return text .. ',' .. string.sub(task, 2)
end

-- MinMessageInfo, token, time, number, attempt, origin, taskItem.
local function add_claim(claims, member, token, timestamp, number, attempt, origin, task)
    local at = #claims
    claims[at + 1], claims[at + 2], claims[at + 3], claims[at + 4] = member, token, timestamp, number
    claims[at + 5], claims[at + 6], claims[at + 7] = attempt, origin, task
end

-- Pushes a delivery, or hands the response over. False: that is not possible now; then nothing is done. `lost` is the token of a
-- delivery before it that nobody has answered: while it waits in the list, or its gateway is away, there is no second one.
local function hand_over(bridge, head, token, lost)
    if bridge.out == '' then
        local timestamp, number = order_of(head)
        local attempt = head.attempts == 0 and '1' or whole(head.attempts + 1)
        add_claim(bridge.claims, head.member, token, timestamp, number, attempt, head.origin, task_of(bridge, head))
        return true
    end
    if lost and may_still_go(bridge, head, lost) then
        return false
    end
    local list = bridge.out .. ':' .. head.origin
    local pushed = redis.pcall('LPUSH', list, delivery_of(bridge, head, token, task_of(bridge, head)))
    if type(pushed) == 'table' then
        bridge.refused, head.until_ms = pushed.err .. ' key=' .. list, bridge.now + 1000
        return false
    end
    return true
end
