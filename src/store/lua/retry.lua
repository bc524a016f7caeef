#!lua
--- @doc Delivers again what is due for it, to the outs that have not reported; or claims it, for outs on another server.
--- @key tracked            string, how many messages are tracked
--- @key ids                list of message ids
--- @key passing            string, the cursor of a compaction of ids
--- @key deadlines          sorted set of message ids, or runs of them, by milliseconds
--- @key retries            sorted set of those that wait to be delivered again
--- @arg text prefix        of the messages' keys
--- @arg text metrics       prefix of the metrics' keys
--- @arg whole max_count    most messages to deliver
--- @arg whole remember     seconds for which it is known how a message ended
--- @arg text server        of our queues, when they are not on this server: count the attempt and hand the messages back
--- @arg whole service_db   database of these keys
--- @returns whole delivered messages that were delivered or claimed
--- @returns whole more     1 when more may be due
--- @returns whole waiting  messages that cannot be delivered now: an out is full or wrong, or they are another's
--- @returns texts told     when claimed, of each message its id, body, maxLength, number of outs, and these; else what went wrong
--- @include list_length
--- @include server_time
--- @include count_metric
--- @include ending
--- @include plan_of
--- @include keep_known
--- @include attempts_of
--- @include xid_of
local now = server_milliseconds()
local seconds = math.floor(now / 1000)
local size = redis.pcall('ZCARD', retries)
if type(size) == 'table' then
    return redis.error_reply(size.err .. ' key=' .. retries)
end
local ending, denied = begin_ending({
    tracked = tracked, ids = ids, passing = passing, deadlines = deadlines, retries = retries, prefix = prefix,
    remember = remember
})
if not ending then
    return denied
end
denied = may({
    {'HSET', prefix .. '1', '', ''}, {'HDEL', prefix .. '1', ''}, {'ZADD', deadlines, '0', ''}, {'ZADD', retries, '0', ''},
    {'ZREM', retries, ''}, {'HMGET', prefix .. '1', ''}, {'GET', prefix .. '1:body'}
})
if denied then
    return denied
end
local plan_of = plans_in(prefix)
local delivered, expired, waiting, passed, bytes, told, told_of = 0, 0, 0, 0, 0, {}, {}

-- nil, or why not.
local function push(outs, body, most)
    for _, out in ipairs(outs) do
        local length, wrong = list_length(out)
        if wrong then
            return wrong.err
        elseif most > 0 and length >= most then
            return 'full key=' .. out
        elseif not redis.acl_check_cmd('LPUSH', out, '') then
            return 'NOPERM this user may not LPUSH key=' .. out
        end
    end
    for _, out in ipairs(outs) do
        redis.pcall('LPUSH', out, body) -- looked at above; nothing is left that could refuse it
    end
end

local function push_in(db, outs, body, most)
    if db == service_db then
        return push(outs, body, most)
    end
    redis.call('SELECT', db)
    local why = push(outs, body, most)
    redis.call('SELECT', service_db)
    return why
end

local function outs_without_report(id, plan)
    local silent = {}
    for _, out in ipairs(plan.outs) do
        if redis.pcall('SISMEMBER', prefix .. id .. ':done', out) ~= 1 then
            silent[#silent + 1] = out
        end
    end
    return silent
end

local function wait(id, plan)
    waiting, passed = waiting + 1, passed + 1
    redis.pcall('ZADD', retries, whole(now + pause_for(retries, plan.expire)), id)
end

-- The timekeeper buries what has no attempt left.
local function give_up(id, attempts)
    redis.pcall('HSET', prefix .. id, 'attempts', attempts)
    redis.pcall('ZREM', retries, id)
    redis.pcall('ZADD', deadlines, whole(now), id)
end

-- Its queues are elsewhere, and so is who can deliver it. If nobody does, it makes room for those behind it, and is given up
-- before it is forgotten.
local function leave_to_others(id, score, plan)
    if now - score < 3000 then
        waiting = waiting + 1
        return
    end
    if (tonumber(redis.pcall('TTL', prefix .. id .. ':body')) or 0) > 5 then
        return wait(id, plan)
    end
    give_up(id, plan.attempts)
    keep_known(prefix, id, nil, nil, 60)
end

local function claim(id, body, plan, outs)
    for _, word in ipairs({id, body, whole(plan.maxLength), whole(#outs)}) do
        told[#told + 1] = word
    end
    for _, out in ipairs(outs) do
        told[#told + 1] = out
    end
end

local function deliver(id, score)
    local key = prefix .. id
    local known = redis.pcall('HMGET', key, 'xid', 'service', 'attempts', 'times')
    local body = redis.pcall('GET', key .. ':body')
    if type(body) ~= 'string' or known.err or not known[3] then
        expired = expired + 1
        return ending.add(id, not known.err and known[1], 2, true)
    end
    local plan = plan_of(known[2])
    local attempts = attempts_of(known[3], plan)
    if not plan then
        return give_up(id, attempts)
    end
    if plan.server ~= server then
        return leave_to_others(id, score, plan)
    end
    local outs = outs_without_report(id, plan)
    if server ~= '' then
        claim(id, body, plan, outs)
    else
        local why = push_in(plan.db, outs, body, plan.maxLength)
        if why then
            if not told_of[why] and not string.find(why, '^full ') then
                told_of[why], told[#told + 1] = true, why
            end
            keep_known(prefix, id, known[2], known[1], plan.expire)
            return wait(id, plan)
        end
    end
    delivered, bytes = delivered + 1, bytes + #body * math.max(1, #outs)
    redis.pcall('HSET', key, 'attempts', attempts + 1, 'deadline', seconds + plan.timeout, 'times',
        (known[4] or '') .. ' ' .. whole(seconds))
    redis.pcall('HDEL', key, 'retry')
    redis.pcall('ZREM', retries, id)
    redis.pcall('ZADD', deadlines, whole(now + 1000 * plan.timeout), id)
    local xid, type_of_it = xid_of(body)
    if redis.pcall('EXISTS', prefix .. 'xid:' .. xid) == 0 then -- it led to a newer message of the same xid, which has ended
        redis.pcall('HSET', prefix .. 'xid:' .. xid, 'id', id, 'type', type_of_it)
    end
    keep_known(prefix, id, known[2], xid, plan.expire)
end

local due = redis.call('ZRANGE', retries, '-inf', whole(now), 'BYSCORE', 'LIMIT', 0, max_count, 'WITHSCORES')
local looked, found = 0, #due / 2
for i = 1, #due, 2 do
    local id = due[i]
    if bytes >= 1048576 then
        break
    end
    if is_message_id(id) then
        deliver(id, tonumber(due[i + 1]))
    else
        redis.pcall('ZREM', retries, id) -- none of ours
    end
    looked = looked + 1
end
count_metric(metrics, 'retry', delivered)
count_metric(metrics, 'message:expired', expired)
ending.finish()
return {delivered, (looked < found or found == max_count) and delivered + expired + passed > 0 and 1 or 0, waiting, told}
