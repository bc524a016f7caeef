#!lua
--- @doc Delivers again what is due for it, to the outs that have not reported; or claims it, for outs on another server.
--- @key ids                list of message ids
--- @key passing            string, the cursor of a compaction of ids
--- @key deadlines          sorted set of message ids, by milliseconds
--- @key retries            sorted set of those that wait to be delivered again
--- @arg text prefix        of the messages' keys
--- @arg text metrics       prefix of the metrics' keys
--- @arg whole max_count    most messages to deliver
--- @arg whole remember     seconds for which it is known how a message ended
--- @arg whole claim        1: count the attempt and hand the messages back, instead of pushing them
--- @arg text queue_db      database of the queues, when the tracking keys are in another
--- @arg text service_db    that other one; both empty when it is the same
--- @returns whole delivered messages that were delivered or claimed
--- @returns whole due      whether more are due
--- @returns whole waiting  messages that cannot be delivered now, because an out is full or wrong; tried again in a second
--- @returns texts told     when claimed, of each message its body, the number of its outs, and these; else what went wrong
--- @include list_length
--- @include server_time
--- @include count_metric
--- @include ending
--- @include plan_of
local now = server_milliseconds()
local seconds = math.floor(now / 1000)
local size = redis.pcall('ZCARD', retries)
if type(size) == 'table' then
    return redis.error_reply(size.err .. ' key=' .. retries)
end
local ending, denied = begin_ending({
    ids = ids, passing = passing, deadlines = deadlines, retries = retries, prefix = prefix, remember = remember
})
if not ending then
    return denied
end
local plan_of = plans_in(prefix)
local delivered, expired, waiting, bytes, told, told_of = 0, 0, 0, 0, {}, {}

local function in_db(db, work)
    if db == '' then
        return work()
    end
    redis.call('SELECT', db)
    local found = work()
    redis.call('SELECT', service_db)
    return found
end

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

local function outs_without_report(id, plan)
    local silent = {}
    for _, out in ipairs(plan.outs) do
        if redis.pcall('SISMEMBER', prefix .. id .. ':done', out) ~= 1 then
            silent[#silent + 1] = out
        end
    end
    return silent
end

local function deliver(id)
    local key = prefix .. id
    local known = redis.pcall('HMGET', key, 'xid', 'service', 'attempts', 'times')
    local body = redis.pcall('GET', key .. ':body')
    local plan = not known.err and plan_of(known[2])
    local attempts = not known.err and known[3] and (tonumber(known[3]) or plan and plan.attempts)
    if type(body) ~= 'string' or known.err or not known[3] then
        expired = expired + 1
        return ending.add(id, not known.err and known[1], 2)
    end
    if not plan then
        redis.pcall('ZREM', retries, id)
        redis.pcall('ZADD', deadlines, whole(now), id) -- the timekeeper buries it
        return
    end
    local outs = outs_without_report(id, plan)
    if claim == 1 then
        told[#told + 1] = body
        told[#told + 1] = tostring(#outs)
        for _, out in ipairs(outs) do
            told[#told + 1] = out
        end
    else
        local why = in_db(queue_db, function() return push(outs, body, plan.maxLength) end)
        if why then
            waiting = waiting + 1
            redis.pcall('ZADD', retries, whole(now + 1000), id)
            if not told_of[why] and not string.find(why, '^full ') then
                told_of[why], told[#told + 1] = true, why
            end
            return
        end
    end
    delivered, bytes = delivered + 1, bytes + #body * #outs
    redis.pcall('HSET', key, 'attempts', attempts + 1, 'deadline', seconds + plan.timeout, 'times',
        (known[4] or '') .. ' ' .. whole(seconds))
    redis.pcall('HDEL', key, 'retry')
    redis.pcall('ZREM', retries, id)
    redis.pcall('ZADD', deadlines, whole(now + 1000 * plan.timeout), id)
    for _, each in ipairs({key, key .. ':body', key .. ':done', prefix .. 'plan:' .. known[2], prefix .. 'xid:' .. known[1]}) do
        redis.pcall('EXPIRE', each, plan.expire)
    end
end

local due = redis.call('ZRANGE', retries, '-inf', whole(now), 'BYSCORE', 'LIMIT', 0, max_count)
local looked = 0
for _, id in ipairs(due) do
    if bytes >= 4194304 then
        break
    end
    deliver(id)
    looked = looked + 1
end
count_metric(metrics, 'retry', delivered)
count_metric(metrics, 'message:expired', expired)
ending.finish()
local more = (looked < #due or #due == max_count) and 1 or 0
return {delivered, more, waiting, told}
