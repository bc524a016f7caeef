--- @include numbers
-- What a call counts and reports of its bridge.
local function count(bridge, name, number)
    number = number or 1
    if number ~= 0 then
        bridge.counted[name] = (bridge.counted[name] or 0) + number
    end
end

-- How a response ended: delivered, no-ack, cancelled, expired or deleted.
local function tell(bridge, event, member, origin, reason)
    count(bridge, event == 'no-ack' and 'noAck' or event)
    if bridge.rules.events_max > 0 then
        redis.pcall('XADD', bridge.prefix .. 'events', 'MAXLEN', '~', whole(bridge.rules.events_max), '*', 'event', event,
            'message', member, 'origin', origin or '', 'reason', reason or '')
    end
end
