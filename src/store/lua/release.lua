#!lua flags=allow-oom
--- @doc Gives back what a taker has in hand, blaming nobody, and ends its lease when nothing is left.
--- @block held
--- @key source             list that gets it, at the right end
--- @key keys.owners        sorted set of consumers
--- @arg whole max_count    most messages at a time
--- @outcome leased_call state (done, lease_lost)
--- @returns whole given    messages given back
--- @returns whole left     messages still in flight
--- @include errors
--- @include limits
--- @include sizes
--- @include may
--- @include token
local left, wrong = list_length(hand)
wrong = wrong or wrong_size('LLEN', source) or may('LMOVE', hand, source, 'LEFT', 'RIGHT') or may('HSET', lease, 'leaving', '')
    or may('HDEL', lease, 'token') or may('DEL', lease) or may('ZREM', owners, id)
if wrong then
    return wrong
end
local is_ours, unknown = has_token(lease, 'token', token)
if is_ours == false then
    is_ours, unknown = has_token(lease, 'leaving', token)
end
if unknown then
    return unknown
elseif not is_ours then
    return {'lease_lost'}
end
local given, bytes = 0, 0
while given < math.min(left, max_count) and bytes < most_bytes do
    local message = redis.pcall('LMOVE', hand, source, 'LEFT', 'RIGHT')
    if type(message) == 'table' then
        return error_at(hand, message)
    end
    given, bytes = given + 1, bytes + #message
end
if given == left then
    redis.call('DEL', lease)
    redis.call('ZREM', owners, id)
else -- whoever takes what was given back must not believe that it is still at work here
    redis.call('HSET', lease, 'leaving', token)
    redis.call('HDEL', lease, 'token')
end
return {'done', given, left - given}
