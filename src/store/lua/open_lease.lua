#!lua flags=allow-oom
--- @doc Gives a taker an id and with it a hand of its own, under a lease.
--- @object taking_keys keys
--- @key keys.counter       string, the last id
--- @key keys.owners        sorted set of consumers by the end of their leases, in milliseconds
--- @arg text keys.pending  prefix of the hands
--- @arg text token         random: only who knows it may use the hand
--- @arg whole lease_time   milliseconds
--- @arg text host
--- @arg text pid
--- @arg text name          of the service
--- @arg text source        list that it takes from
--- @arg text process       tells this process from all others, for those who can look whether it lives
--- @returns whole id
--- @include server_time
--- @include numbers
--- @include errors
--- @include sizes
--- @include may
local now = server_milliseconds()
local wrong = wrong_size('ZCARD', owners) or may('INCRBY', counter, '1') or may('HSET', pending .. ':1:lease', '', '') or may('ZADD', owners, '0', '')
    or may('EXISTS', pending) or may('ZRANGE', owners, '0', '0')
if wrong then
    return wrong
end
for _, other in ipairs(redis.call('ZRANGE', owners, 0, 99)) do
    local its = redis.pcall('HGET', pending .. ':' .. other .. ':lease', 'source')
    local denied = type(its) == 'table' and may('HGET', pending .. ':' .. other .. ':lease', 'source')
    if denied then
        return denied
    elseif type(its) == 'string' and its ~= source then
        return redis.error_reply('WRONGTYPE these keys are of takers from another queue: ' .. its .. ' key=' .. owners)
    end
end
local id
local step = 1
repeat -- a server that has forgotten its last writes may give an id twice; there may be very many
    id = redis.pcall('INCRBY', counter, step)
    if type(id) == 'table' then
        return error_at(counter, id)
    end
    step = step * 2
    local hand = pending .. ':' .. whole(id)
until redis.call('EXISTS', hand, hand .. ':lease') == 0
redis.call('HSET', pending .. ':' .. whole(id) .. ':lease', 'token', token, 'call', 0, 'host', host, 'pid', pid, 'name', name,
    'process', process, 'source', source, 'opened', math.floor(now / 1000))
redis.call('ZADD', owners, whole(now + lease_time), whole(id))
return {id}
