--- @include bridge_service
--- @include may
-- What a call counts and tells, and how it writes dates.

-- Whatever is done to a conversation, this user must be allowed all of it, reading too: found out before the first write. HMGET and
-- ZCARD were given above.
local denied = may({
    {'HSET', state_key, '', ''}, {'HSET', requests, '', ''}, {'HDEL', requests, ''}, {'PEXPIRE', responses, '1'}, {'DEL', pending, requests, responses, names, prefix .. 'c', prefix .. 'c:lock'},
    {'SET', prefix .. 'c:lock', ''}, {'ZADD', pending, '0', ''}, {'ZREM', prefix .. 'c', ''}, {'RPUSH', prefix .. 'c:req', ''}, {'LPOP', prefix .. 'c:req'},
    {'RPOP', prefix .. 'c:req'}, {'LREM', prefix .. 'c:req', '0', ''}, {'GET', prefix .. 'c:lock'}, {'EXISTS', requests}, {'HGET', responses, ''},
    {'LINDEX', prefix .. 'c:req', '0'}, {'LLEN', prefix .. 'c:req'}, {'LRANGE', prefix .. 'c:req', '0', '0'}, {'ZRANGE', prefix .. 'c', '0', '0'},
    {'ZSCORE', prefix .. 'c', ''}
})
if denied then
    return denied
end

local counted = {}
local function count(name, number)
    number = number or 1
    if number ~= 0 then
        counted[name] = (counted[name] or 0) + number
    end
end
local function write_counts()
    for name, number in pairs(counted) do
        redis.pcall('HINCRBY', prefix .. 'counts', name, number)
    end
end

-- How a response ended: delivered, no-ack, cancelled, expired or deleted.
local counters = {['delivered'] = 'delivered', ['no-ack'] = 'noAck', ['cancelled'] = 'cancelled', ['expired'] = 'expired', ['deleted'] = 'deleted'}
local events_text = digits(events_max)
local function tell(event, member, origin, reason)
    count(counters[event])
    if events_max > 0 then
        redis.pcall('XADD', prefix .. 'events', 'MAXLEN', '~', events_text, '*', 'event', event, 'message', member, 'origin', origin or '', 'reason', reason or '')
    end
end

-- Dates of fields are seconds; so are the scores of pendingMessages, with the milliseconds behind the point.
local function seconds(milliseconds)
    return digits(math.floor(milliseconds / 1000))
end
local function due_score(milliseconds)
    return string.format('%.3f', milliseconds / 1000)
end
local function due_at(member, milliseconds)
    call('ZADD', pending, due_score(milliseconds), member)
end
-- ... or earlier, when its life ends before: somebody has to see to it then.
local function due_in_life(member, milliseconds, ends)
    due_at(member, ends > now and math.min(ends, milliseconds) or milliseconds)
end
-- Times as texts: Redis would make them of the numbers again and again. A response, and what it belongs to, is kept until leat has
-- ended it; that its key expires is for the case that nobody ever comes again.
local request_life, kept, lease_life = digits(message_ttl), digits(math.max(keep_ttl, 2 * awaited_ttl)), digits(pending_ttl)
local sent_life, tombstone_life = digits(sent_ttl), digits(dedup_ttl)
-- Never shortens, and gives an expiry to what had none yet.
local function extend(key, life, is_new)
    if is_new then
        return call('PEXPIRE', key, life)
    end
    return call('PEXPIRE', key, life, 'GT')
end
local function until_first_due()
    local first = call('ZRANGE', pending, '0', '0', 'WITHSCORES')
    if not first[2] then
        return -1
    end
    return math.min(3600000, math.max(0, math.ceil(tonumber(first[2]) * 1000 - now)))
end

-- What a call says at its end, after all its writes.
local function close_call()
    close_service()
    write_counts()
    return until_first_due()
end
