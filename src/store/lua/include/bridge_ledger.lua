--- @include bridge_keys
--- @include bridge_clock
--- @include may
-- What a call counts and tells, and how it writes dates.

-- What would refuse a write in the middle is found here.
local size = redis.pcall('ZCARD', pending)
if type(size) == 'table' then
    return redis.error_reply(size.err .. ' key=' .. pending)
end
local denied = may({
    {'DEL', pending, requests, responses, names, prefix .. 'c', prefix .. 'c:req', prefix .. 'c:lock'}, {'HSET', requests, '', ''}, {'ZADD', pending, '0', ''}
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
local dates_changed = false
local dates_end = now + awaited_ttl + pending_ttl -- the date of the last response is looked at after its life
local function set_date(member, score)
    dates_changed = true
    call('ZADD', pending, score, member)
end
local function keep_dates(ends)
    dates_changed, dates_end = true, math.max(dates_end, ends)
end
local function due_at(member, milliseconds)
    set_date(member, due_score(milliseconds))
end
-- ... or earlier, when its life ends before: what follows it is to be tried then.
local function due_in_life(member, milliseconds, hash)
    local ends = call('PEXPIRETIME', hash)
    due_at(member, ends > 0 and math.min(ends + 1, milliseconds) or milliseconds)
end
-- Lives, as texts: Redis would make them of the numbers again and again.
local request_life, response_life, lease_life = digits(message_ttl), digits(awaited_ttl), digits(pending_ttl)
local sent_life, tombstone_life = digits(sent_ttl), digits(dedup_ttl)
-- Never shortens a life, and gives one to what had none yet.
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
    if dates_changed and call('PEXPIREAT', pending, digits(dates_end), 'GT') == 0 and call('PTTL', pending) == -1 then
        call('PEXPIREAT', pending, digits(dates_end))
    end
    write_counts()
    return until_first_due()
end
