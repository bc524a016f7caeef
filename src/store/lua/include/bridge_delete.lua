--- @include bridge_facts
--- @include bridge_group
--- @include bridge_keys
--- @include bridge_ledger
--- @include bridge_meet
--- @include bridge_removal
--- @include redis_call
-- Responses are removed by hand: one, by its MinMessageInfo, or of a group.
local function delete_message(bridge, member)
    local facts = facts_of(bridge, member)
    if not facts then
        return 'NOT_FOUND', 0, ''
    end
    forget(bridge, facts.key, member, facts.hash, facts.request)
    call('DEL', facts.name)
    tell(bridge, 'deleted', member, facts.origin)
    meet_head(bridge, facts.conversation, facts.key)
    return 'DELETED', 0, '1'
end

-- Of a group, which is a request and what the MinMessageInfo of its replies begins with: those that have the status (any, when it is
-- empty) and whose origin is not among the excepted; `spared` stays.
local function delete_group(bridge, id, group, status, except_origins, spared)
    local request = bridge.requests .. id
    local known = call('HMGET', request, 'conversationId', 'requestTimestamp')
    if not known[1] then
        return 'NOT_FOUND', 0, '0'
    end
    local key, gone = conversation_key(bridge.prefix, known[1]), 0
    local members = members_of_group(key, tonumber(known[2]), group)
    bridge.spent = bridge.spent + 2 * #members
    for _, member in ipairs(members) do
        local _, response = ids_of(member)
        local hash = bridge.responses .. response
        local fields = call('HMGET', hash, 'status', 'origin', 'asyncResponseId')
        local except = fields[2] and string.find(except_origins, '\n' .. fields[2] .. '\n', 1, true)
        if member ~= spared and not except and (status == '' or fields[1] == status) then
            forget(bridge, key, member, hash, request)
            call('DEL', bridge.names .. (fields[3] or ''))
            tell(bridge, 'deleted', member, fields[2])
            gone = gone + 1
        end
    end
    meet_head(bridge, known[1], key)
    return 'DELETED', 0, tostring(gone)
end

-- A response has failed for good: its whole group goes.
local function fail_message(bridge, member, reason)
    local facts = facts_of(bridge, member)
    if not facts then
        return 'NOT_FOUND', 0, ''
    end
    local gone = cancel_group(bridge, facts.key, facts.request, facts.timestamp, group_of(member), reason)
    meet_head(bridge, facts.conversation, facts.key)
    return 'CANCELLED', 0, tostring(gone)
end
