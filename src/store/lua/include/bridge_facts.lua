--- @include bridge_keys
--- @include redis_call
-- What is known of a response, for what somebody wants to be done to it; nil: it is not there, or another's. A wrong type is found before
-- the first write.
local function facts_of(bridge, member)
    local request_id, response, conversation = ids_of(member)
    if not response then
        return nil
    end
    local hash = bridge.responses .. response
    local fields = call('HMGET', hash, 'status', 'origin', 'requestTimestamp', 'awaitedRetries', 'conversationId', 'requestId', 'asyncResponseId')
    if not fields[1] or fields[5] ~= conversation or fields[6] ~= request_id then
        return nil
    end
    local key = conversation_key(bridge.prefix, conversation)
    call('ZCARD', key)
    call('LLEN', key .. ':req')
    return {key = key, hash = hash, request = bridge.requests .. request_id, conversation = conversation, response = response,
        json_response = json_response_of(member, request_id, response, conversation), origin = fields[2],
        timestamp = tonumber(fields[3]), retries = tonumber(fields[4]) or 0, name = bridge.names .. (fields[7] or '')}
end
