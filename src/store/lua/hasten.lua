#!lua
--- @doc Makes a tracked message due now: one that waits is delivered again at once, one that was delivered times out.
--- @key deadlines          sorted set of message ids, or runs of them, by milliseconds
--- @key retries            sorted set of those that wait to be delivered again
--- @key message            hash of the message
--- @arg text id
--- @returns whole hastened 1: its next delivery, 2: its timeout, after which it is delivered again; 0: it is not tracked with retry
--- @include server_time
--- @include may
--- @include whole
local now = server_milliseconds()
local attempts = redis.pcall('HGET', message, 'attempts')
if type(attempts) ~= 'string' then
    return {0}
end
local denied = may({{'ZADD', retries, '1', '1'}, {'ZADD', deadlines, '1', '1'}})
if denied then
    return denied
end
if redis.pcall('ZSCORE', retries, id) then
    redis.call('ZADD', retries, whole(now), id)
    return {1}
end
redis.call('ZADD', deadlines, whole(now), id)
return {2}
