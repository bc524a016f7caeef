#!lua flags=allow-oom
--- @doc Ends the messages whose deadline has passed; those that may be tried again wait for that instead, those that may no longer go to the dead.
--- @key counter            string, the last message id
--- @key tracked            string, how many messages are tracked
--- @key ids                list of message ids
--- @key passing            string, the cursor of a compaction of ids
--- @key deadlines          sorted set of message ids, or runs of them, by milliseconds
--- @key retries            sorted set of those that wait to be delivered again
--- @arg text prefix        of the messages' keys
--- @arg text metrics       prefix of the metrics' keys
--- @arg whole max_count    most messages to look at
--- @arg whole remember     seconds for which it is known how a message ended
--- @arg whole seed         of what is random
--- @returns whole due      messages that were looked at
--- @returns whole next     milliseconds until the next deadline, at most an hour; 0: it has passed, -1: there is none
--- @returns whole next_retry likewise, until the next message is to be delivered again
--- @returns whole live     messages that are tracked now
--- @returns whole stale    ids in the list whose message has ended
--- @returns texts trouble  what could not be done, and will be tried again
--- @include server_time
--- @include time_metric
--- @include tracked_keys
--- @include ending
--- @include plan_of
--- @include keep_known
--- @include attempts_of
--- @include run_text
--- @include dead_letter
local wrong = check_tracked(counter, tracked, ids, deadlines, retries)
if wrong then
    return wrong
end
math.randomseed(seed)
local now = server_milliseconds()
local seconds = math.floor(now / 1000)
local ending, denied = begin_ending({
    tracked = tracked, ids = ids, passing = passing, deadlines = deadlines, retries = retries, prefix = prefix,
    remember = remember
})
if not ending then
    return denied
end
denied = may({
    {'HSET', prefix .. '1', '', ''}, {'EXPIRE', prefix .. '1', '1'}, {'ZADD', deadlines, '0', ''}, {'ZADD', retries, '0', ''},
    {'HMGET', prefix .. '1', ''}, {'GET', prefix .. '1:body'}, {'EXISTS', prefix .. '1'}, {'ZRANGE', retries, '0', '0'}
})
if denied then
    return denied
end
local times = time_metric(metrics, 'timeout')
local name_space = string.gsub(prefix, ':message:$', '')
local plan_of = plans_in(prefix)
local counts, trouble, told, bytes = {}, {}, {}, 0
local function count(name)
    counts[name] = (counts[name] or 0) + 1
end

local function pause_before(attempt, plan)
    local pause = math.min(plan.max, plan.first * plan.factor ^ (attempt - 1))
    return math.floor(1000 * pause * (1 - plan.jitter * math.random()))
end

-- How it ended; or false and the error when the dead cannot be listed.
local function give_up(id, known, attempts, plan)
    local body = redis.pcall('GET', prefix .. id .. ':body')
    if type(body) ~= 'string' then
        count('message:expired')
        return 2
    end
    local silent = {}
    for _, out in ipairs(plan and plan.outs or {}) do
        if redis.pcall('SISMEMBER', prefix .. id .. ':done', out) ~= 1 then
            silent[#silent + 1] = out
        end
    end
    bytes = bytes + #body
    local dead = plan and plan.dead or prefix .. 'dead'
    local denied_there = may_bury(dead)
    local refused = denied_there and denied_there.err or bury(dead, body, {
        reason = plan and 'not done after ' .. attempts .. (attempts == 1 and ' attempt' or ' attempts')
            or 'nobody knows how to retry it: its plan is gone',
        attempts = attempts, times = known[6] or '', died = seconds, id = id, xid = known[3] or '', service = name_space .. ':' .. (known[4] or ''),
        origin = plan and plan.origin or '', db = plan and plan.db, server = plan and plan.server ~= '' and plan.server or nil,
        silent = #silent > 0 and silent or nil
    })
    if refused then
        return false, refused
    end
    count('dead')
    return 3
end

-- Without a hash, and not ended by anybody.
local function meet_missing(ids_missing)
    local how = how_ended(prefix, ids_missing)
    for i, id in ipairs(ids_missing) do
        if how[i] == 0 then
            count('message:expired')
            ending.add(whole(id), nil, 2, true)
        end
    end
end

local function time_out(id)
    local key = prefix .. id
    local known = redis.pcall('HMGET', key, 'timestamp', 'deadline', 'xid', 'service', 'attempts', 'times')
    if known.err then -- somebody's own
        count('message:invalid')
        bytes = bytes + 4 * redis.call('LLEN', ids) -- it walks the list
        redis.pcall('LREM', ids, -1, id)
        return redis.pcall('DECRBY', tracked, 1)
    end
    if not (known[1] or known[2] or known[3] or known[4]) then
        return meet_missing({tonumber(id)})
    end
    local timestamp, deadline = tonumber(known[1]), tonumber(known[2])
    if deadline and deadline > seconds and deadline < seconds + 604800 then -- it was delivered again meanwhile
        redis.pcall('ZADD', deadlines, whole(1000 * deadline), id)
        return
    end
    local plan = known[5] and plan_of(known[4])
    local attempts = attempts_of(known[5], plan)
    if plan and attempts < plan.attempts then
        local at = now + pause_before(attempts, plan)
        redis.pcall('HSET', key, 'retry', math.floor(at / 1000))
        redis.pcall('ZADD', retries, whole(at), id)
    else
        local how, why = 2, nil
        if attempts then
            how, why = give_up(id, known, attempts, plan)
        end
        if not how then
            if not told[why] then
                told[why], trouble[#trouble + 1] = true, why
            end
            local expire = plan and plan.expire or remember
            keep_known(prefix, id, known[4], known[3], expire)
            redis.pcall('ZADD', deadlines, whole(now + pause_for(deadlines, expire)), id)
            return
        end
        ending.add(id, known[3], how, attempts or plan_of(known[4]))
    end
    local began = tonumber(string.match(known[6] or '', '(%d+)$')) or timestamp
    if began and deadline then
        times.add(seconds - began, deadline - began)
    else
        count('message:invalid') -- somebody has edited it
    end
end

-- Most messages of a run have usually ended long ago, which one command tells. Returns how far it came.
local function time_out_run(first, last)
    local at = first
    while at <= last and bytes < 1048576 do
        local numbers, keys = {}, {}
        for id = at, math.min(last, at + 249) do
            numbers[#numbers + 1], keys[#keys + 1] = id, prefix .. whole(id)
        end
        if redis.call('EXISTS', unpack(keys)) == 0 then
            meet_missing(numbers)
            at = at + #numbers
        else
            for _, id in ipairs(numbers) do
                if bytes < 1048576 then
                    time_out(whole(id))
                    at = id + 1
                end
            end
        end
    end
    return at
end

local looked = 0
local due = redis.call('ZRANGE', deadlines, '-inf', whole(now), 'BYSCORE', 'LIMIT', 0, max_count, 'WITHSCORES')
for i = 1, #due, 2 do
    if looked >= max_count or bytes >= 1048576 then
        break -- the next call goes on
    end
    local first, last = read_run(due[i])
    redis.pcall('ZREM', deadlines, due[i])
    if first then
        local stop = math.min(last, first + max_count - looked - 1)
        local at = time_out_run(first, stop)
        looked = looked + at - first
        if at <= last then
            redis.pcall('ZADD', deadlines, due[i + 1], run_text(at, last))
        end
    end
end
times.write()
for name, many in pairs(counts) do
    count_metric(metrics, name, many)
end
local live, stale = ending.finish()

local function until_first(index)
    local first = redis.call('ZRANGE', index, 0, 0, 'WITHSCORES')
    return first[2] and math.min(3600000, math.max(0, math.ceil(tonumber(first[2]) - now))) or -1
end
return {looked, until_first(deadlines), until_first(retries), live, stale, trouble}
