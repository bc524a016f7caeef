#!lua flags=no-writes
--- @doc One large message in a consumer's hand, by its name.
--- @key hand
--- @key lease
--- @arg text token
--- @arg text held         its name, see include/held_message.lua
--- @returns whole state    0, or 2: the lease is another's or gone
--- @returns texts messages the message; none: it is not there any more
--- @include sizes
--- @include held_message
local wrong = wrong_size('LLEN', hand)
if wrong then
    return wrong
end
if redis.pcall('HGET', lease, 'token') ~= token then
    return {2, {}}
end
local _, message = find_held(hand, held)
return {0, {message}}
