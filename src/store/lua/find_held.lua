#!lua flags=no-writes
--- @doc One large message in a consumer's hand, by its name.
--- @block held
--- @arg text held          its name, see include/held_message.lua
--- @outcome leased_call state (done, lease_lost)
--- @returns texts message  or nothing: it is not there any more
--- @include sizes
--- @include held_message
local wrong = wrong_size('LLEN', hand)
if wrong then
    return wrong
end
if redis.pcall('HGET', lease, 'token') ~= token then
    return {'lease_lost'}
end
local _, message = find_held(hand, held)
return {'done', {message}}
