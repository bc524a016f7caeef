#!lua flags=allow-oom
--- @doc Gives up one large message in a consumer's hand, by its name, without sending it anywhere: no connection has survived that.
--- @block held
--- @key keys.suspects      set of digests: what was in flight when a consumer died
--- @key keys.deliveries    hash by digest: how often a delivery of a message failed
--- @key dead               list of messages given up
--- @arg text held          its name, see include/held_message.lua
--- @arg text source        list that it was taken from
--- @arg text service       who we are, for the details of the dead
--- @arg text name          of the error
--- @arg text reason
--- @arg whole attempts
--- @outcome leased_call state (done, lease_lost)
--- @returns flag buried    else it is not there any more
--- @include server_time
--- @include sizes
--- @include may
--- @include dead_letter
--- @include held_message
--- @include token
local wrong = wrong_size('LLEN', hand) or may_add_dead_letter(dead) or may('LREM', hand, '-1', '') or may('HDEL', deliveries, '')
    or may('SREM', suspects, '') or may('LINDEX', hand, '0') or may('HGET', dead .. ':story', '')
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
if not message then
    return {'done', 0}
end
local refused = add_dead_letter(dead, message, {
    reason = reason, name = name, attempts = attempts, died = server_time(), origin = source, service = service
})
if refused then
    return redis.error_reply(refused)
end
local digest = redis.sha1hex(message)
redis.call('LREM', hand, -1, message)
redis.call('HDEL', deliveries, digest)
redis.call('SREM', suspects, digest)
return {'done', 1}
