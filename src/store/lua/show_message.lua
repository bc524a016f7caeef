#!lua flags=no-writes
--- @doc What is known of a tracked message, by its id or by the id that it brought along.
--- @object message_keys keys
--- @key keys.counter       string, the last message id
--- @key keys.retries       sorted set of those that wait to be delivered again
--- @arg text keys.prefix   of the messages' keys
--- @arg text id            empty: by the next
--- @arg text xid
--- @outcome message_state state (unknown, delivered, waiting, done, timed_out, dead) delivered: and not reported; waiting: for another delivery; timed_out: or expired
--- @returns whole age      seconds since it was first delivered; -1: unknown
--- @returns whole due      seconds until its deadline, or its next delivery; negative: it has passed
--- @returns whole ttl      seconds until it is forgotten
--- @returns whole size     of its body; -1: it is not kept
--- @returns text id
--- @returns text xid
--- @returns text service
--- @returns text attempts
--- @returns text times     of its deliveries
--- @returns text plan      JSON; empty: none
--- @returns text body      the beginning of it
--- @returns texts reported outs that have reported
--- @include server_time
--- @include ended
--- @include message_ids
local now = server_milliseconds()
local seconds = math.floor(now / 1000)
if id == '' then
    local cross = redis.pcall('HGET', prefix .. 'xid:' .. xid, 'id')
    id = type(cross) == 'string' and cross or ''
end
local last = tonumber(redis.pcall('GET', counter)) or 0
local number = is_message_id(id) and tonumber(id)
if not number or number > last then
    return {'unknown', -1, 0, -1, -1, id, xid, '', '', '', '', '', {}}
end
local key = prefix .. id
local known = redis.pcall('HMGET', key, 'timestamp', 'deadline', 'xid', 'service', 'attempts', 'times')
if known.err or not (known[1] or known[2] or known[3] or known[4]) then
    local how = ({'done', 'timed_out', 'dead'})[how_ended(prefix, {number})[1]] or 'unknown'
    return {how, -1, 0, -1, -1, id, xid, '', '', '', '', '', {}}
end
local waits = redis.pcall('ZSCORE', retries, id)
waits = type(waits) == 'string' and tonumber(waits)
local deadline, timestamp = tonumber(known[2]), tonumber(known[1])
local function bounded(seconds_left)
    return math.max(-1000000000, math.min(1000000000, seconds_left))
end
local due = waits and math.ceil((waits - now) / 1000) or deadline and deadline - seconds or 0
local size = redis.pcall('STRLEN', key .. ':body')
local body = redis.pcall('GETRANGE', key .. ':body', 0, 999)
local reported = redis.pcall('SMEMBERS', key .. ':done')
reported = reported.err and {} or reported
local plan = redis.pcall('GET', prefix .. 'plan:' .. (known[4] or ''))
return {
    waits and 'waiting' or 'delivered', timestamp and bounded(seconds - timestamp) or -1, bounded(due), redis.call('TTL', key),
    redis.pcall('EXISTS', key .. ':body') == 1 and type(size) == 'number' and size or -1, id, known[3] or '', known[4] or '',
    known[5] or '', known[6] or '', type(plan) == 'string' and plan or '', type(body) == 'string' and body or '', reported
}
