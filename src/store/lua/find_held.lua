#!lua flags=no-writes
--- @doc One large message in a consumer's hand, by its name.
--- @block held
--- @arg text held          its name, see include/held_message.lua
--- @outcome leased_call state (done, lease_lost)
--- @returns texts message  or nothing: it is not there any more
--- @include may
--- @include sizes
--- @include held_message
--- @include token
local wrong = wrong_size('LLEN', hand) or may('LINDEX', hand, '0')
if wrong then
    return wrong
end
local is_ours, unknown = has_token(lease, 'token', token)
if unknown then
    return unknown
elseif not is_ours then
    return {'lease_lost'}
end
local _, message = find_held(hand, held)
return {'done', {message}}
