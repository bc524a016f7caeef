#!lua
--- @doc Delivers again what is due for it, to the outs that have not reported; or counts the attempt and hands it over, for outs on another server.
--- @block ending
--- @arg whole max_count    most messages to deliver
--- @arg text server        of our queues, when they are not on this server: count the attempt and hand the messages back
--- @arg whole service_db   database of these keys
--- @returns whole delivered messages that were delivered or handed over
--- @returns flag more      more may be due
--- @returns whole waiting  messages that cannot be delivered now: an out is full or wrong, or they are another's
--- @rows handed_retry handed (text id, text message, whole max_length, texts outs) what was handed over: whoever called delivers it
--- @returns texts trouble  what went wrong
--- @include count_metric
--- @include ending
--- @include limits
--- @include may
--- @include message_ids
--- @include numbers
--- @include plan_of
--- @include retry_message
--- @include server_time
--- @include sizes
local now = server_milliseconds()
local wrong = wrong_size('ZCARD', retries)
if wrong then
    return wrong
end
local ending, denied = begin_ending({
    tracked = tracked, ids = ids, ids_seen = ids_seen, deadlines = deadlines, retries = retries, prefix = prefix,
    remember = remember
})
denied = denied or may('HSET', prefix .. '1', '', '') or may('HDEL', prefix .. '1', '') or may('ZADD', deadlines, '0', '')
    or may('ZADD', retries, '0', '') or may('ZREM', retries, '') or may('HMGET', prefix .. '1', '')
    or may('GET', prefix .. '1:body') or may('SISMEMBER', prefix .. '1:done', '') or may('ZRANGE', retries, '0', '0')
if denied then
    return denied
end
local work = {
    prefix = prefix, deadlines = deadlines, retries = retries, now = now, seconds = math.floor(now / 1000), server = server,
    service_db = service_db, plan_of = plans_in(prefix), ending = ending, delivered = 0, expired = 0, waiting = 0, passed = 0,
    bytes = 0, handed = {}, told = {}, is_told = {}
}
local due = redis.call('ZRANGE', retries, '-inf', whole(now), 'BYSCORE', 'LIMIT', 0, max_count, 'WITHSCORES')
local looked, found = 0, #due / 2
for i = 1, #due, 2 do
    local id = due[i]
    if work.bytes >= most_bytes then
        break
    end
    if is_message_id(id) then
        retry_message(work, id, tonumber(due[i + 1]))
    else
        redis.pcall('ZREM', retries, id) -- none of ours
    end
    looked = looked + 1
end
count_metric(metrics, 'retry', work.delivered)
count_metric(metrics, 'message:expired', work.expired)
finish_ending(ending)
local moved = work.delivered + work.expired + work.passed > 0
return {work.delivered, (looked < found or found == max_count) and moved and 1 or 0, work.waiting, work.handed, work.told}
