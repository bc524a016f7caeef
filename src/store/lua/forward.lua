#!lua
--- @doc Brings messages that have waited long enough back to the right end of their queue, where they are next.
--- @key delayed            sorted set of messages that wait, by milliseconds; each has a number before it
--- @key source             list that gets them
--- @arg whole max_count    most messages at a time
--- @returns whole forwarded
--- @returns whole next     milliseconds until the next is due; -1: none waits
--- @include server_time
--- @include numbers
--- @include sizes
--- @include delayed_message
--- @include may
--- @include until_first
local now = server_milliseconds()
local wrong = wrong_size('LLEN', source) or wrong_size('ZCARD', delayed) or may('RPUSH', source, '') or may('ZREM', delayed, '')
if wrong then
    return wrong
end
local due = redis.call('ZRANGE', delayed, '-inf', whole(now), 'BYSCORE', 'LIMIT', 0, max_count)
local fit, bytes = 0, 0
while fit < #due and bytes < 4194304 do
    fit = fit + 1
    bytes = bytes + #due[fit]
end
for i = fit, 1, -1 do -- who was due first is next
    redis.call('RPUSH', source, delayed_message(due[i]))
    redis.call('ZREM', delayed, due[i])
end
return {fit, until_first(delayed, now)}
