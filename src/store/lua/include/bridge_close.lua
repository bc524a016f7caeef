--- @include bridge_service
--- @include numbers
--- @include redis_call
--- @include until_first
-- What a call leaves of the service, as fields and values.
local function service_fields(service, now, now_text)
    local fields = {}
    local function set(name, value)
        fields[#fields + 1], fields[#fields + 2] = name, value
    end
    local is_set_back = now < service.served
    if service.given_fence then
        set('fence', service.given_fence)
    end
    if now - service.served >= 500 or is_set_back or service.is_new then
        set('served', now_text)
    end
    if service.is_back or is_set_back then
        set('downFrom', whole(service.down_from))
        set('downTo', whole(service.down_to))
        if service.down_before ~= '' then
            set('downBefore', service.down_before)
        end
    end
    if service.is_back or is_set_back or service.had_left then
        for _, queue in ipairs({
            {'In', service.left_in, service.done_in, service.drain_in_to},
            {'Answers', service.left_answers, service.done_answers, service.drain_answers_to}
        }) do
            local name, left, done, drain_to = unpack(queue)
            set('left' .. name, whole(math.max(0, left - done)))
            set('drain' .. name .. 'To', whole(done > 0 and left > 0 and math.max(now + drain_patience, drain_to) or drain_to))
        end
    end
    return fields
end

-- What a call does last, after all its writes. Returns the milliseconds until the first response is looked at again; -1: there is none.
local function close_bridge(bridge)
    local fields = service_fields(bridge.service, bridge.now, bridge.now_text)
    if #fields > 0 then
        call('HSET', bridge.state_key, unpack(fields))
    end
    for name, number in pairs(bridge.counted) do
        redis.pcall('HINCRBY', bridge.prefix .. 'counts', name, number)
    end
    local first = call('ZRANGE', bridge.pending, '0', '0', 'WITHSCORES')
    return first[2] and milliseconds_until(tonumber(first[2]) * 1000, bridge.now) or -1
end
