#!lua flags=allow-oom
--- @doc Takes a batch of reports from the done list, oldest first, and ends the messages that they name, each once.
--- @key done               list that workers push to: ID, or ID:OUT
--- @key counter            string, the last message id
--- @key tracked            string, how many messages are tracked
--- @key ids                list of message ids
--- @key passing            string, the cursor of a compaction of ids
--- @key deadlines          sorted set of message ids, or runs of them, by milliseconds
--- @key retries            sorted set of those that wait to be delivered again
--- @arg text prefix        of the messages' keys
--- @arg text metrics       prefix of the metrics' keys
--- @arg whole max_count    most reports to take
--- @arg whole remember     seconds for which it is known how a message ended
--- @returns whole taken    reports that were taken
--- @returns whole left     reports still in the list
--- @returns whole finished messages that are done by them
--- @returns whole live     messages that are tracked now
--- @returns whole stale    ids in the list whose message has ended
--- @include list_length
--- @include server_time
--- @include time_metric
--- @include tracked_keys
--- @include ending
--- @include plan_of
local left, wrong = list_length(done)
wrong = wrong or check_tracked(counter, tracked, ids, deadlines, retries)
    or may({{'RPOP', done, '1'}, {'SADD', prefix .. '1:done', ''}, {'SCARD', prefix .. '1:done'}})
if wrong then
    return wrong
end
local now = server_time()
local last_id = tonumber(redis.call('GET', counter) or '0')
local ending, denied = begin_ending({
    tracked = tracked, ids = ids, passing = passing, deadlines = deadlines, retries = retries, prefix = prefix,
    remember = remember
})
if not ending then
    return denied
end
local times = time_metric(metrics, 'done')
local plan_of = plans_in(prefix)
local finished, counts = 0, {}
local function count(name)
    counts[name] = (counts[name] or 0) + 1
end

-- With `await: all` a message is done when every out has reported. What names no out speaks for all of them.
local function is_last_report(key, out, plan)
    local added = redis.pcall('SADD', key .. ':done', out)
    if added == 0 then
        count('done:duplicate')
        return false
    end
    redis.pcall('EXPIRE', key .. ':done', plan.expire)
    return type(added) == 'table' or redis.call('SCARD', key .. ':done') >= #plan.outs -- not a set: somebody's own
end

local function is_one_of(outs, out)
    for _, each in ipairs(outs) do
        if each == out then
            return true
        end
    end
    return false
end

local function count_missing(id)
    local number = tonumber(id)
    if number > last_id then
        count('done:unknown')
    else
        count((ending.how[id] or how_ended(prefix, {number})[1]) == 1 and 'done:duplicate' or 'done:expired')
    end
end

local function report(entry)
    local id, out = string.match(entry, '^([1-9]%d*):(.+)$')
    id = id or string.match(entry, '^[1-9]%d*$')
    if not id or #id > 15 then
        return count('done:invalid')
    end
    local key = prefix .. id
    local known = not ending.how[id] and redis.pcall('HMGET', key, 'timestamp', 'deadline', 'xid', 'service')
    if not known or known.err or not (known[1] or known[2] or known[3] or known[4]) then
        return count_missing(id)
    end
    local plan = plan_of(known[4])
    local awaited = plan and plan.await == 'all'
    if plan and out and not is_one_of(plan.outs, out) then
        return count('done:unknown')
    end
    if awaited and out and not is_last_report(key, out, plan) then
        return
    end
    local timestamp, deadline = tonumber(known[1]), tonumber(known[2])
    if timestamp and deadline then
        times.add(now - timestamp, plan and plan.timeout or deadline - timestamp) -- a retry moves the deadline
        finished = finished + 1
    else
        count('message:invalid') -- somebody has edited it
    end
    ending.add(id, known[3], 1, plan, deadline and deadline - now)
end

-- Reports are short. What is not is met in a small company: one, then twice as many each time.
local taken, bytes, step = 0, 0, 1
while taken < max_count and taken < left and bytes < 1048576 do
    local entries = redis.call('RPOP', done, math.min(step, max_count - taken))
    for _, entry in ipairs(entries) do
        bytes = bytes + #entry
        report(#entry <= 1024 and entry or '')
    end
    taken, step = taken + #entries, step * 2
end
times.write()
for name, many in pairs(counts) do
    count_metric(metrics, name, many)
end
local live, stale = ending.finish()
return {taken, left - taken, finished, live, stale}
