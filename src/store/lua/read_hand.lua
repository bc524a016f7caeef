#!lua flags=no-writes
--- @doc What a taker has in hand, as the server knows it: after a lost answer the taker asks what has become of its call.
--- @key hand
--- @key lease
--- @arg text token
--- @arg whole first        from the left, the newest
--- @arg whole max_count
--- @returns whole state    0, or 2: the lease is another's or gone
--- @returns whole call     number of its last call
--- @returns whole length   messages in hand
--- @returns texts messages newest first
--- @include list_length
local length, wrong = list_length(hand)
if wrong then
    return wrong
end
local held = redis.pcall('HMGET', lease, 'token', 'call')
if held.err then
    return redis.error_reply(held.err .. ' key=' .. lease)
end
if held[1] ~= token then
    return {2, 0, length, {}}
end
local messages, bytes = {}, 0
while #messages < max_count and first + #messages < length and bytes < 4194304 do
    local message = redis.call('LINDEX', hand, first + #messages)
    messages[#messages + 1], bytes = message, bytes + #message
end
return {0, tonumber(held[2]) or 0, length, messages}
