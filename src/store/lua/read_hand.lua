#!lua flags=allow-oom
--- @doc What a taker has in hand, as the server knows it: after a lost answer the taker asks what has become of its call. From then on a call that was on the way does nothing any more.
--- @block held
--- @key keys.deliveries    hash by digest: how often a delivery of a message failed
--- @arg whole first        from the left, the newest
--- @arg whole max_count
--- @arg whole max_bytes    stop after so many
--- @arg whole shy          of a message with so many bytes only its name is told; 0: of none
--- @outcome leased_call state (done, lease_lost)
--- @returns whole call     the next call has the number after this one
--- @returns whole last     number of its last call that was done
--- @returns whole length   messages in flight
--- @rows held_message messages (text message, whole failures, text name) newest first; of a large one its name stands instead of it (include/held_message.lua)
--- @include sizes
--- @include may
--- @include errors
--- @include numbers
--- @include failures
local length, wrong = list_length(hand)
wrong = wrong or may('HSET', lease, 'call', '1') or may('LINDEX', hand, '0') or may('HMGET', lease, 'token')
    or may('EXISTS', deliveries)
if wrong then
    return wrong
end
local held = redis.pcall('HMGET', lease, 'token', 'call', 'last')
local remembers = redis.pcall('EXISTS', deliveries) ~= 0
local denied = held.err and error_at(lease, held) or remembers and may('HGET', deliveries, '')
if denied then
    return denied
end
if held[1] ~= token then
    return {'lease_lost'}
end
local call = tonumber(held[2]) or 0
if first == 0 then
    call = call + 1
    redis.pcall('HSET', lease, 'call', whole(call))
end
local messages, count, bytes, looked = {}, 0, 0, 0
while count < max_count and first + count < length and bytes < max_bytes and looked < 4194304 do
    local message = redis.call('LINDEX', hand, first + count)
    local is_large = shy > 0 and #message >= shy
    local digest = (is_large or remembers) and redis.sha1hex(message)
    messages[#messages + 1] = is_large and '' or message
    messages[#messages + 1] = remembers and whole(failures_of(deliveries, digest).deliveries) or '0'
    messages[#messages + 1] = is_large and digest .. ':' .. whole(#message) or ''
    count, bytes = count + 1, bytes + (is_large and 100 or #message)
    looked = looked + #message
end
return {'done', call, tonumber(held[3]) or 0, length, messages}
