--- @include counts
--- @include ended
--- @include ending
--- @include message_ids
-- Reports that messages are done. `work` holds prefix, now (seconds), last_id (of all messages), plan_of, times (a metric), ending
-- and counts.

-- With `await: all` a message is done when every out has reported. What names no out speaks for all of them.
local function is_last_report(work, key, out, plan)
    local added = redis.pcall('SADD', key .. ':done', out)
    if added == 0 then
        count_one(work.counts, 'done:duplicate')
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

local function count_missing(work, id)
    local number = tonumber(id)
    if number > work.last_id then
        return count_one(work.counts, 'done:unknown')
    end
    local how = work.ending.how[id] or how_ended(work.prefix, {number})[1]
    count_one(work.counts, how == 1 and 'done:duplicate' or 'done:expired')
end

-- A report is ID, or ID:OUT.
local function take_report(work, entry)
    local id, out = string.match(entry, '^([1-9]%d*):(.+)$')
    id = id or entry
    if not is_message_id(id) then
        return count_one(work.counts, 'done:invalid')
    end
    local key = work.prefix .. id
    local known = not work.ending.how[id] and redis.pcall('HMGET', key, 'timestamp', 'deadline', 'xid', 'service')
    if not known or known.err or not (known[1] or known[2] or known[3] or known[4]) then
        return count_missing(work, id)
    end
    local plan = work.plan_of(known[4])
    if plan and out and not is_one_of(plan.outs, out) then
        return count_one(work.counts, 'done:unknown')
    end
    if plan and plan.await == 'all' and out and not is_last_report(work, key, out, plan) then
        return
    end
    local timestamp, deadline = tonumber(known[1]), tonumber(known[2])
    if timestamp and deadline then
        work.times.add(work.now - timestamp, plan and plan.timeout or deadline - timestamp) -- a retry moves the deadline
    else
        count_one(work.counts, 'message:invalid') -- somebody has edited it
    end
    end_message(work.ending, id, known[3], 1, plan, deadline and deadline - work.now)
end
