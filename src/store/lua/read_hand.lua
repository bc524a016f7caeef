#!lua flags=allow-oom
--- @doc What a taker has in hand, as the server knows it: after a lost answer the taker asks what has become of its call. From then on a call that was on the way does nothing any more.
--- @key hand
--- @key lease
--- @key deliveries         hash by digest: how often a message was delivered in vain
--- @arg text token
--- @arg whole first        from the left, the newest
--- @arg whole max_count
--- @returns whole state    0, or 2: the lease is another's or gone
--- @returns whole call     the next call has the number after this one
--- @returns whole last     number of its last call that was done
--- @returns whole length   messages in hand
--- @returns texts messages newest first, each with how often it has failed
--- @include list_length
--- @include may
--- @include failures
local length, wrong = list_length(hand)
wrong = wrong or may({{'HINCRBY', lease, 'call', '1'}})
if wrong then
    return wrong
end
local held = redis.pcall('HMGET', lease, 'token', 'call', 'last')
if held.err then
    return redis.error_reply(held.err .. ' key=' .. lease)
end
if held[1] ~= token then
    return {2, 0, 0, length, {}}
end
local call = tonumber(held[2]) or 0
if first == 0 then
    call = call + 1
    redis.pcall('HSET', lease, 'call', whole(call))
end
local messages, count, bytes = {}, 0, 0
while count < max_count and first + count < length and bytes < 4194304 do
    local message = redis.call('LINDEX', hand, first + count)
    messages[#messages + 1] = message
    messages[#messages + 1] = whole(failures_of(deliveries, redis.sha1hex(message)).deliveries)
    count, bytes = count + 1, bytes + #message
end
return {0, call, tonumber(held[3]) or 0, length, messages}
