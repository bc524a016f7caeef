#!lua flags=allow-oom
--- @doc Takes a batch of reports from the done list, oldest first, and ends the messages that they name, each once.
--- @block ending
--- @key done               list that workers push to: ID, or ID:OUT
--- @key keys.counter       string, the last message id
--- @arg whole max_count    most reports to take
--- @returns whole taken    reports that were taken
--- @returns whole left     reports still in the list
--- @returns whole live     messages that are tracked now
--- @returns whole stale    ids in the list whose message has ended
--- @include counts
--- @include ending
--- @include limits
--- @include may
--- @include plan_of
--- @include reports
--- @include server_time
--- @include sizes
--- @include time_metric
--- @include tracked_keys
local left, wrong = list_length(done)
wrong = wrong or check_tracked(counter, tracked, ids, deadlines, retries) or may('RPOP', done, '1')
    or may('SADD', prefix .. '1:done', '') or may('SCARD', prefix .. '1:done')
    or may('HMGET', prefix .. '1', '')
if wrong then
    return wrong
end
local ending, denied = begin_ending({
    tracked = tracked, ids = ids, ids_seen = ids_seen, deadlines = deadlines, retries = retries, prefix = prefix,
    remember = remember
})
if not ending then
    return denied
end
local work = {
    prefix = prefix, now = server_time(), last_id = tonumber(redis.call('GET', counter) or '0'), plan_of = plans_in(prefix),
    times = time_metric(metrics, 'done'), ending = ending, counts = {}
}
-- Reports are short. As some may not be, it pops 1, 2, 4 ... so that what is read stays bounded.
local taken, bytes, step = 0, 0, 1
while taken < max_count and taken < left and bytes < most_bytes do
    local entries = redis.call('RPOP', done, math.min(step, max_count - taken))
    for _, entry in ipairs(entries) do
        bytes = bytes + #entry
        take_report(work, #entry <= 1024 and entry or '')
    end
    taken, step = taken + #entries, step * 2
end
work.times.write()
write_counts(metrics, work.counts)
local live, stale = finish_ending(ending)
return {taken, left - taken, live, stale}
