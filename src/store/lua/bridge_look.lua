#!lua flags=no-writes
--- @doc A conversation as it is: its requests, its responses, the lease, and what the first response waits for. Changes nothing.
--- @key pending            sorted set of responses by when they are looked at again, in seconds
--- @arg text prefix        of all keys
--- @arg text conversation
--- @arg whole most         requests and responses to show
--- @returns whole now      the server's time in milliseconds, as all times here
--- @returns text key       of the conversation
--- @outcome bridge_head_state state (idle, gone, passed_request, wait_request, wait_ack, no_ack, wait_backoff, wait_lease, wait_out, free) what the first response waits for, as include/bridge_head.lua has it; wait_lease: for who has the lease
--- @returns flag has_end   the wait ends by itself
--- @returns whole waits    ... in so long at most
--- @returns text head      MinMessageInfo of the first response; empty: there is none
--- @returns text waits_for_key of the request in the way; empty: none is
--- @returns text waits_for its id
--- @rows bridge_lease_row lease (text owner, text response, whole token, whole left) one row, or none: nobody has it
--- @returns whole all_requests
--- @returns whole all_responses
--- @rows bridge_request_row requests (text key, text id, text origin, text status, flag waiting, whole replies, whole timestamp, whole left) oldest first; no id: its hash is gone; waiting: it has no reply yet; left: of its life, below 0: no end
--- @rows bridge_response_row responses (text id, text request, text origin, text status, text order, text async, text reason, whole attempts, whole retries, whole left, flag has_date, whole due) in order; async: the name that its acknowledgement will have; due: until it is looked at again, when it has a date
--- @include bridge_head
--- @include bridge_keys
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
local lease, requests, responses = {}, {}, {}
if lock then
    local response = cjson.decode('[' .. (lock.json_response or '""') .. ']')[1]
    lease = {lock.holder, type(response) == 'string' and response or '', lock.token, lock_ends}
end
for _, request in ipairs(most > 0 and call('LRANGE', key .. ':req', 0, most - 1) or {}) do
    local fields = call('HMGET', request, 'requestId', 'origin', 'status', 'requestTimestamp', 'responseIdCounter')
    for _, column in ipairs({
        request, fields[1] or '', fields[2] or '', fields[3] or 'GONE', fields[3] == 'WAITING' and 1 or 0,
        fields[5] or '0', fields[4] or '0', call('PTTL', request)
    }) do
        requests[#requests + 1] = column
    end
end
local members = most > 0 and call('ZRANGE', key, 0, most - 1, 'WITHSCORES') or {}
for i = 1, #members, 2 do
    local request, response = ids_of(members[i])
    local hash = bridge.responses .. (response or '')
    local fields = response and call('HMGET', hash, 'status', 'origin', 'sentAttempt', 'awaitedRetries', 'asyncResponseId', 'reason') or {}
    local score = tonumber(members[i + 1])
    local due = call('ZSCORE', pending, members[i])
    for _, column in ipairs({
        response or '', request or '', fields[2] or '', fields[1] or 'GONE',
        string.format('%.0f.%.0f', math.floor(score), (score % 1) * 4096), fields[5] or '', fields[6] or '',
        fields[3] or '0', fields[4] or '0', call('PTTL', hash), due and 1 or 0, due and tonumber(due) * 1000 - now or 0
    }) do
        responses[#responses + 1] = column
    end
end
return {
    now, key, string.lower(head.is), head.until_ms and 1 or 0, head.until_ms and head.until_ms - now or 0, head.member or '',
    head.waits_for or '', head.waits_for and string.sub(head.waits_for, #bridge.requests + 1) or '', lease,
    call('LLEN', key .. ':req'), call('ZCARD', key), requests, responses
}
