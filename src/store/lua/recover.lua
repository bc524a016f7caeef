#!lua flags=allow-oom
--- @doc Returns what dead takers had in hand to the right end of their queue, or gives up what was in dying hands too often.
--- @key owners             sorted set of takers by the end of their leases, in milliseconds
--- @key source             list that messages are taken from
--- @key suspects           set of digests: what was in hand when a taker died
--- @key deliveries         hash by digest: how often a message was delivered in vain
--- @key dead               list of messages given up
--- @arg text pending       prefix of the hands
--- @arg text own           id of the taker that asks: it lives, whatever its lease says
--- @arg whole max_owners   most takers to see to
--- @arg whole max_count    most messages to return
--- @arg whole max_deliveries so often a message is delivered before it is given up
--- @arg whole grace        seconds that the server must have been up, so that the living could renew their leases
--- @arg text service       who we are, for the story of the dead
--- @arg text metrics       prefix of the metrics' keys; empty: count nothing
--- @args gone              takers that are known to be dead, whatever their lease says: of each its id and its process
--- @returns whole ended    dead takers that are forgotten now
--- @returns whole recovered messages returned
--- @returns whole buried   messages given up
--- @returns whole more     1 when there is more to do
--- @returns texts trouble  what could not be done
--- @include server_time
--- @include lease
--- @include list_length
--- @include may
--- @include failures
--- @include dead_letter
--- @include count_metric
local now = server_milliseconds()
local seconds = math.floor(now / 1000)
local size = redis.pcall('ZCARD', owners)
if type(size) == 'table' then
    return redis.error_reply(size.err .. ' key=' .. owners)
end
local _, wrong = list_length(source)
local some = pending .. ':1' -- as every hand
wrong = wrong or may_bury(dead) or may({
    {'ZREM', owners, ''}, {'ZADD', owners, '0', ''}, {'SADD', suspects, ''}, {'SREM', suspects, ''}, {'EXPIRE', suspects, '1'},
    {'HSET', deliveries, '', ''}, {'HDEL', deliveries, ''}, {'EXPIRE', deliveries, '1'}, {'LMOVE', some, source, 'LEFT', 'RIGHT'},
    {'LPOP', some}, {'LINDEX', some, '0'}, {'DEL', some .. ':lease'}
})
if wrong then
    return wrong
end
local lapsed, known_gone = {}, {}
local info = redis.pcall('INFO', 'server')
local uptime = type(info) == 'string' and tonumber(info:match('uptime_in_seconds:(%d+)')) or grace
if uptime >= grace then
    lapsed = redis.call('ZRANGE', owners, '-inf', whole(now), 'BYSCORE', 'LIMIT', 0, max_owners)
end
local function is_other(id)
    return id ~= own and not known_gone[id]
end
local found = #lapsed
local others = {}
for _, id in ipairs(lapsed) do
    if is_other(id) then
        known_gone[id], others[#others + 1] = true, id
    end
end
lapsed = others
-- The id may be another's by now, on a server that has lost its data. A hand that was returned in part has no lease any more.
local function is_still(id, process)
    local its = redis.pcall('HGET', pending .. ':' .. id .. ':lease', 'process')
    return (its == process or not its) and redis.pcall('ZSCORE', owners, id)
end
for i = 1, #gone, 2 do
    local id = gone[i]
    if is_other(id) and is_still(id, gone[i + 1]) then
        lapsed[#lapsed + 1] = id
    end
end

local ended, recovered, buried, bytes, trouble = 0, 0, 0, 0, {}
local function is_enough()
    return recovered + buried >= max_count or bytes >= 1048576
end
-- Equal messages in one hand have died once.
local function see_to(message, hand, noted)
    local digest = redis.sha1hex(message)
    local known = noted[digest] or note_failure(deliveries, digest, seconds, 'its taker died')
    noted[digest] = known
    local story = {
        reason = 'its taker died', attempts = known.deliveries, times = known.times, died = seconds, origin = source,
        service = service
    }
    if known.deliveries >= max_deliveries and not bury(dead, message, story) then
        redis.pcall('HDEL', deliveries, digest)
        redis.pcall('SREM', suspects, digest)
        redis.pcall('LPOP', hand)
        buried = buried + 1
    else
        redis.pcall('SADD', suspects, digest)
        redis.pcall('EXPIRE', suspects, 3600)
        redis.pcall('LMOVE', hand, source, 'LEFT', 'RIGHT')
        recovered = recovered + 1
    end
    bytes = bytes + #message
end
local looked = 0
for _, id in ipairs(lapsed) do
    if is_enough() then
        break
    end
    looked = looked + 1
    local hand = pending .. ':' .. id
    redis.pcall('DEL', hand .. ':lease') -- it may still live, but it may not settle any more
    local length, wrong_hand = list_length(hand)
    if wrong_hand then
        trouble[#trouble + 1] = wrong_hand.err
        redis.pcall('ZADD', owners, whole(now + 60000), id)
    else
        local noted = {}
        while length > 0 and not is_enough() do
            see_to(redis.call('LINDEX', hand, 0), hand, noted)
            length = length - 1
        end
        if length == 0 then
            redis.pcall('ZREM', owners, id)
            ended = ended + 1
        else
            redis.pcall('ZADD', owners, whole(now), id)
            looked = looked - 1
        end
    end
end
if metrics ~= '' then
    count_metric(metrics, 'recovered', recovered)
    count_metric(metrics, 'dead', buried)
end
return {ended, recovered, buried, (looked < #lapsed or found >= max_owners) and 1 or 0, trouble}
