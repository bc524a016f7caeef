#!lua flags=allow-oom
--- @doc Ends the messages whose deadline has passed; those that may be tried again wait for that instead, those that may no longer go to the dead.
--- @block ending
--- @key keys.counter       string, the last message id
--- @arg whole max_count    most messages to look at
--- @arg whole seed         of what is random
--- @returns whole due      messages that were looked at
--- @returns whole next     milliseconds until the next deadline, at most an hour; 0: it has passed, -1: there is none
--- @returns whole next_retry likewise, until the next message is to be delivered again
--- @returns whole live     messages that are tracked now
--- @returns whole stale    ids in the list whose message has ended
--- @returns texts trouble  what could not be done, and will be tried again
--- @include counts
--- @include ending
--- @include limits
--- @include may
--- @include message_ids
--- @include numbers
--- @include plan_of
--- @include server_time
--- @include time_metric
--- @include time_out_run
--- @include tracked_keys
--- @include until_first
local wrong = check_tracked(counter, tracked, ids, deadlines, retries)
if wrong then
    return wrong
end
local ending, denied = begin_ending({
    tracked = tracked, ids = ids, ids_seen = ids_seen, deadlines = deadlines, retries = retries, prefix = prefix,
    remember = remember
})
denied = denied or may('HSET', prefix .. '1', '', '') or may('EXPIRE', prefix .. '1', '1') or may('ZADD', deadlines, '0', '')
    or may('ZADD', retries, '0', '') or may('HMGET', prefix .. '1', '') or may('GET', prefix .. '1:body')
    or may('EXISTS', prefix .. '1') or may('ZRANGE', retries, '0', '0')
    or may('SISMEMBER', prefix .. '1:done', '')
if denied then
    return denied
end
math.randomseed(seed)
local now = server_milliseconds()
local work = {
    prefix = prefix, tracked = tracked, ids = ids, deadlines = deadlines, retries = retries, remember = remember, now = now,
    seconds = math.floor(now / 1000), name_space = string.gsub(prefix, ':message:$', ''), plan_of = plans_in(prefix),
    times = time_metric(metrics, 'timeout'), ending = ending, counts = {}, trouble = {}, is_told = {}, bytes = 0
}
local looked = 0
local due = redis.call('ZRANGE', deadlines, '-inf', whole(now), 'BYSCORE', 'LIMIT', 0, max_count, 'WITHSCORES')
for i = 1, #due, 2 do
    if looked >= max_count or work.bytes >= most_bytes then
        break -- the next call goes on
    end
    local first, last = read_run(due[i])
    redis.pcall('ZREM', deadlines, due[i])
    if first then
        local at = time_out_run(work, first, math.min(last, first + max_count - looked - 1))
        looked = looked + at - first
        if at <= last then
            redis.pcall('ZADD', deadlines, due[i + 1], run_text(at, last))
        end
    end
end
work.times.write()
write_counts(metrics, work.counts)
local live, stale = finish_ending(ending)
return {looked, until_first(deadlines, now), until_first(retries, now), live, stale, work.trouble}
