#!lua flags=allow-oom
--- @doc Keeps what is due to be delivered again for later: now it cannot be, because Redis is full or its queues are away.
--- @object message_keys keys
--- @key keys.retries       sorted set of messages that wait to be delivered again
--- @arg text keys.prefix   of the messages' keys
--- @arg whole max_count    most messages to look at
--- @returns whole delayed messages that wait longer
--- @include server_time
--- @include numbers
--- @include plan_of
--- @include keep_known
--- @include may
local now = server_milliseconds()
local denied = may('ZADD', retries, '0', '') or may('EXPIRE', prefix .. '1', '1') or may('ZCARD', retries)
    or may('ZRANGE', retries, '0', '0') or may('HMGET', prefix .. '1', '') or may('GET', prefix .. 'plan:1')
if denied then
    return denied
end
local plan_of = plans_in(prefix)
local due = redis.call('ZRANGE', retries, '-inf', whole(now), 'BYSCORE', 'LIMIT', 0, max_count)
for _, id in ipairs(due) do
    local known = redis.pcall('HMGET', prefix .. id, 'xid', 'service')
    local plan = not known.err and plan_of(known[2])
    if plan then
        keep_known(prefix, id, known[2], known[1], plan.expire)
    end
    redis.call('ZADD', retries, whole(now + pause_for(retries, plan and plan.expire or 2)), id)
end
return {#due}
