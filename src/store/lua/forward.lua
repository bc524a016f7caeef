#!lua
--- @doc Brings messages that have waited long enough back to the right end of their queue, where they are next.
--- @object taking_keys keys
--- @key keys.delayed       sorted set of messages that wait, by milliseconds; each has a number before it
--- @key source             list that gets them
--- @arg whole max_count    most messages at a time
--- @returns whole forwarded
--- @returns whole next     milliseconds until the next is due; -1: none waits
--- @include server_time
--- @include numbers
--- @include sizes
--- @include delayed_message
--- @include may
--- @include until_first_message
local now = server_milliseconds()
local wrong = wrong_size('LLEN', source) or wrong_size('ZCARD', delayed) or may('RPUSH', source, '') or may('ZREM', delayed, '')
    or may('ZRANGE', delayed, '0', '0') or may('ZCOUNT', delayed, '0', '0')
if wrong then
    return wrong
end
-- Redis does not say how large a message is before it is read: one at first, then four times as many, as far as they should fit by
-- the largest so far.
local most_bytes = 4194304
local due, fit, bytes, step, largest = {}, 0, 0, 1, 1
while fit < max_count and bytes < most_bytes do
    local part = redis.call('ZRANGE', delayed, '-inf', whole(now), 'BYSCORE', 'LIMIT', fit, step)
    for _, member in ipairs(part) do
        fit = fit + 1
        due[fit], bytes, largest = member, bytes + #member, math.max(largest, #member)
    end
    if #part < step then
        break
    end
    step = math.max(1, math.min(4 * step, max_count - fit, math.floor((most_bytes - bytes) / largest)))
end
for i = fit, 1, -1 do -- who was due first is next
    redis.call('RPUSH', source, delayed_message(due[i]))
    redis.call('ZREM', delayed, due[i])
end
return {fit, until_first_message(delayed, now)}
