#!lua flags=no-writes
--- @doc A conversation as it is: its requests, its responses, the lease, and what the first response waits for. Changes nothing.
--- @key pending            sorted set of responses by when they are looked at again, in seconds
--- @arg text prefix        of all keys
--- @arg text conversation
--- @arg whole most         requests and responses to show
--- @returns text found     one JSON object
--- @include bridge_head
--- @include bridge_keys
--- @include numbers
--- @include redis_call
--- @include server_time
local now = server_milliseconds()
local bridge = {requests = prefix .. 'req:', responses = prefix .. 'res:', now = now}
local key = conversation_key(prefix, conversation)
local at, from, head = 0, 0, nil
for _ = 1, 2000 do -- over what will be removed when somebody comes by
    head = look_at_response(bridge, conversation, key, at, from)
    if head.is == 'GONE' or head.is == 'NO_ACK' then
        at = at + 1
    elseif head.is == 'PASSED_REQUEST' then
        from = from + 1
    else
        break
    end
end
local lock = read_lock(key .. ':lock')
local lock_ends = lock and call('PTTL', key .. ':lock')
if head.is == 'FREE' and lock then
    head.is, head.until_ms = 'WAIT_LEASE', now + lock_ends
elseif head.is == 'FREE' then -- when somebody has looked and could not push it, its date is ahead
    local due = tonumber(call('ZSCORE', pending, head.member) or 0) * 1000
    if due > now + 50 then
        head.is, head.until_ms = 'WAIT_OUT', due
    end
end
local found = {
    now = whole(now), key = key, verdict = head.is, waits = head.until_ms and whole(head.until_ms - now) or nil,
    head = head.member, waits_for = head.waits_for, requests = {}, responses = {},
    all_requests = call('LLEN', key .. ':req'), all_responses = call('ZCARD', key)
}
if lock then
    found.lock = {token = whole(lock.token), owner = lock.holder, response = cjson.decode('[' .. (lock.json_response or '""') .. ']')[1], ends = lock_ends}
end
for _, request in ipairs(most > 0 and call('LRANGE', key .. ':req', 0, most - 1) or {}) do
    local fields = call('HMGET', request, 'requestId', 'origin', 'status', 'requestTimestamp', 'responseIdCounter')
    found.requests[#found.requests + 1] = {
        key = request, id = fields[1] or '', origin = fields[2] or '', status = fields[3] or 'GONE', timestamp = fields[4] or '',
        replies = fields[5] or '0', ttl = call('PTTL', request)
    }
end
local members = most > 0 and call('ZRANGE', key, 0, most - 1, 'WITHSCORES') or {}
for i = 1, #members, 2 do
    local request, response = ids_of(members[i])
    local hash = bridge.responses .. (response or '')
    local fields = response and call('HMGET', hash, 'status', 'origin', 'sentAttempt', 'awaitedRetries', 'asyncResponseId', 'reason') or {}
    local score = tonumber(members[i + 1])
    local due = call('ZSCORE', pending, members[i])
    found.responses[#found.responses + 1] = {
        key = hash, id = response or '', request = request or '', status = fields[1] or 'GONE', origin = fields[2] or '', attempts = fields[3] or '0',
        retries = fields[4] or '0', async = fields[5] or '', reason = fields[6] or '', ttl = call('PTTL', hash),
        order = string.format('%.0f.%.0f', math.floor(score), (score % 1) * 4096), due = due and whole(tonumber(due) * 1000 - now) or ''
    }
end
return {cjson.encode(found)}
