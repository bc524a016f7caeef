#!lua
--- @doc Has a tracked message delivered again now, whether it waits for that or was delivered and not reported.
--- @object message_keys keys
--- @key keys.retries       sorted set of those that wait to be delivered again
--- @key keys.message(id)   hash of the message
--- @arg text keys.prefix   of the messages' keys
--- @arg text id
--- @outcome retrying state (due, not_retried, used_up) it is due now; it is not tracked with retry; it has no attempt left
--- @include server_time
--- @include may
--- @include numbers
--- @include plan_of
--- @include attempts_of
local now = server_milliseconds()
local denied = may('ZADD', retries, '1', '1') or may('HSET', message, 'retry', '1') or may('HMGET', message, 'attempts')
    or may('GET', prefix .. 'plan:1')
if denied then
    return denied
end
local known = redis.pcall('HMGET', message, 'attempts', 'service')
if known.err or not known[1] then
    return {'not_retried'}
end
local plan = plans_in(prefix)(known[2])
local attempts = attempts_of(known[1], plan)
if not plan or attempts >= plan.attempts then
    return {'used_up'}
end
redis.call('HSET', message, 'retry', math.floor(now / 1000))
redis.call('ZADD', retries, whole(now), id)
return {'due'}
