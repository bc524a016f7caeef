--- @include numbers
-- How often a message was delivered in vain, and when: JSON in a hash, by the message's digest. Equal messages share it.
local function failures_of(deliveries, digest)
    local text = redis.pcall('HGET', deliveries, digest)
    local read, known = pcall(cjson.decode, type(text) == 'string' and text or '{}')
    known = read and type(known) == 'table' and known or {}
    local count = tonumber(known.deliveries)
    return {
        deliveries = count and count >= 0 and count < 1000000 and math.floor(count) or 0,
        times = type(known.times) == 'string' and known.times or ''
    }
end

-- The delivery of this number has failed; nil: one more than is known. Of equal messages that were delivered side by side each
-- counts as the same. What is forgotten in the end are messages that somebody else has taken away.
local function note_failure(deliveries, digest, seconds, reason, delivery)
    local known = failures_of(deliveries, digest)
    known.deliveries = math.max(known.deliveries, delivery or known.deliveries + 1)
    known.times = string.sub(known.times .. (known.times == '' and '' or ' ') .. whole(seconds), -1100)
    known.reason = reason
    redis.pcall('HSET', deliveries, digest, cjson.encode(known))
    redis.pcall('EXPIRE', deliveries, 691200)
    return known
end
