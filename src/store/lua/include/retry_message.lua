--- @include attempts_of
--- @include ending
--- @include keep_known
--- @include numbers
--- @include push_to_outs
--- @include silent_outs
--- @include xid_of
-- Delivers a message again that is due for it. `work` holds prefix, deadlines, retries; now (milliseconds) and seconds; server and
-- service_db of the call; plan_of, ending. It gathers delivered, expired, waiting (cannot go now) and passed (... and has a later date);
-- bytes; what was `handed` over; `told`, and `is_told`, of what went wrong.
local function wait(work, id, plan)
    work.waiting, work.passed = work.waiting + 1, work.passed + 1
    redis.pcall('ZADD', work.retries, whole(work.now + pause_for(work.retries, plan.expire)), id)
end

-- The timekeeper lists what has no attempt left among the dead letters.
local function use_up(work, id, attempts)
    redis.pcall('HSET', work.prefix .. id, 'attempts', attempts)
    redis.pcall('ZREM', work.retries, id)
    redis.pcall('ZADD', work.deadlines, whole(work.now), id)
end

-- Its queues are elsewhere, and so is who can deliver it. If nobody does, it makes room for those behind it, and is given up before it
-- is forgotten.
local function leave_to_others(work, id, score, plan)
    if work.now - score < 3000 then
        work.waiting = work.waiting + 1
    elseif (tonumber(redis.pcall('TTL', work.prefix .. id .. ':body')) or 0) > 5 then
        wait(work, id, plan)
    else
        use_up(work, id, plan.attempts)
        keep_known(work.prefix, id, nil, nil, 60)
    end
end

-- For whoever pushes it on another server.
local function hand_over(work, id, body, plan, outs)
    local handed = work.handed
    for _, word in ipairs({id, body, whole(plan.maxLength), whole(#outs)}) do
        handed[#handed + 1] = word
    end
    for _, out in ipairs(outs) do
        handed[#handed + 1] = out
    end
end

-- The attempt is counted, and the next deadline runs. `known` has xid, service, attempts and times.
local function count_attempt(work, id, body, plan, known, attempts)
    local key, now = work.prefix .. id, work.now
    redis.pcall('HSET', key, 'attempts', attempts + 1, 'deadline', work.seconds + plan.timeout, 'times',
        (known[4] or '') .. ' ' .. whole(work.seconds))
    redis.pcall('HDEL', key, 'retry')
    redis.pcall('ZREM', work.retries, id)
    redis.pcall('ZADD', work.deadlines, whole(now + 1000 * plan.timeout), id)
    local xid, type_of_it = xid_of(body)
    if redis.pcall('EXISTS', work.prefix .. 'xid:' .. xid) == 0 then -- it led to a newer message of the same xid, which has ended
        redis.pcall('HSET', work.prefix .. 'xid:' .. xid, 'id', id, 'type', type_of_it)
    end
    keep_known(work.prefix, id, known[2], xid, plan.expire)
end

local function retry_message(work, id, score)
    local key = work.prefix .. id
    local known = redis.pcall('HMGET', key, 'xid', 'service', 'attempts', 'times')
    local body = redis.pcall('GET', key .. ':body')
    if type(body) ~= 'string' or known.err or not known[3] then
        work.expired = work.expired + 1
        return end_message(work.ending, id, not known.err and known[1], 2, true)
    end
    local plan = work.plan_of(known[2])
    local attempts = attempts_of(known[3], plan)
    if not plan then
        return use_up(work, id, attempts)
    end
    if plan.server ~= work.server then
        return leave_to_others(work, id, score, plan)
    end
    local outs = silent_outs(work.prefix, id, plan.outs)
    if work.server ~= '' then
        hand_over(work, id, body, plan, outs)
    else
        local why = push_in_db(plan.db, work.service_db, outs, body, plan.maxLength)
        if why then
            if not work.is_told[why] and not string.find(why, '^full ') then
                work.is_told[why], work.told[#work.told + 1] = true, why
            end
            keep_known(work.prefix, id, known[2], known[1], plan.expire)
            return wait(work, id, plan)
        end
    end
    work.delivered, work.bytes = work.delivered + 1, work.bytes + #body * math.max(1, #outs)
    count_attempt(work, id, body, plan, known, attempts)
end
