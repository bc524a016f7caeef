--- @include attempts_of
--- @include counts
--- @include dead_letter
--- @include ended
--- @include ending
--- @include keep_known
--- @include may
--- @include numbers
--- @include silent_outs
-- What becomes of messages whose deadline has passed: those that may be tried again wait for that, those that may no longer go to the
-- dead letters. `work` holds prefix, tracked, ids, deadlines, retries, remember; now and seconds, name_space, plan_of, times (a metric),
-- ending, counts; `trouble`: what could not be done, `is_told`: of that; `bytes` that were read.
local function delay_before(attempt, plan)
    local delay = math.min(plan.max, plan.first * plan.factor ^ (attempt - 1))
    return math.floor(1000 * delay * (1 - plan.jitter * math.random()))
end

-- How it ended; or false and the error when the dead letters cannot be listed.
local function bury(work, id, known, attempts, plan)
    local body = redis.pcall('GET', work.prefix .. id .. ':body')
    if type(body) ~= 'string' then
        count_one(work.counts, 'message:expired')
        return 2
    end
    local silent = silent_outs(work.prefix, id, plan and plan.outs or {})
    work.bytes = work.bytes + #body
    local dead = plan and plan.dead or work.prefix .. 'dead'
    local denied = may_add_dead_letter(dead) or may('HGET', dead .. ':story', '')
    local refused = denied and denied.err or add_dead_letter(dead, body, {
        reason = plan and 'not done after ' .. attempts .. (attempts == 1 and ' attempt' or ' attempts')
            or 'nobody knows how to retry it: its plan is gone',
        attempts = attempts, times = known[6] or '', died = work.seconds, id = id, xid = known[3] or '',
        service = work.name_space .. ':' .. (known[4] or ''), origin = plan and plan.origin or '', db = plan and plan.db,
        server = plan and plan.server ~= '' and plan.server or nil, silent = #silent > 0 and silent or nil
    })
    if refused then
        return false, refused
    end
    count_one(work.counts, 'dead')
    return 3
end

-- Without a hash, and not ended by anybody.
local function meet_missing(work, ids)
    local how = how_ended(work.prefix, ids)
    for i, id in ipairs(ids) do
        if how[i] == 0 then
            count_one(work.counts, 'message:expired')
            end_message(work.ending, whole(id), nil, 2, true)
        end
    end
end

-- It is tried again to give it up.
local function delay_end(work, id, known, expire, why)
    if not work.is_told[why] then
        work.is_told[why], work.trouble[#work.trouble + 1] = true, why
    end
    keep_known(work.prefix, id, known[4], known[3], expire)
    redis.pcall('ZADD', work.deadlines, whole(work.now + pause_for(work.deadlines, expire)), id)
end

local function time_out_message(work, id)
    local key = work.prefix .. id
    local known = redis.pcall('HMGET', key, 'timestamp', 'deadline', 'xid', 'service', 'attempts', 'times')
    if known.err then -- somebody's own
        count_one(work.counts, 'message:invalid')
        work.bytes = work.bytes + 4 * redis.call('LLEN', work.ids) -- it walks the list
        redis.pcall('LREM', work.ids, -1, id)
        return redis.pcall('DECRBY', work.tracked, 1)
    end
    if not (known[1] or known[2] or known[3] or known[4]) then
        return meet_missing(work, {tonumber(id)})
    end
    local timestamp, deadline = tonumber(known[1]), tonumber(known[2])
    if deadline and deadline > work.seconds and deadline < work.seconds + 604800 then -- it was delivered again meanwhile
        return redis.pcall('ZADD', work.deadlines, whole(1000 * deadline), id)
    end
    local plan = known[5] and work.plan_of(known[4])
    local attempts = attempts_of(known[5], plan)
    if plan and attempts < plan.attempts then
        local at = work.now + delay_before(attempts, plan)
        redis.pcall('HSET', key, 'retry', math.floor(at / 1000))
        redis.pcall('ZADD', work.retries, whole(at), id)
    else
        local how, why = 2, nil
        if attempts then
            how, why = bury(work, id, known, attempts, plan)
        end
        if not how then
            return delay_end(work, id, known, plan and plan.expire or work.remember, why)
        end
        end_message(work.ending, id, known[3], how, attempts or work.plan_of(known[4]))
    end
    local began = tonumber(string.match(known[6] or '', '(%d+)$')) or timestamp
    if began and deadline then
        work.times.add(work.seconds - began, deadline - began)
    else
        count_one(work.counts, 'message:invalid') -- somebody has edited it
    end
end
