--- @include bridge_keys
--- @include dead_letter
-- Lists a response among the dead letters as a message that can go again. `known` has its origin, its task and how often it was sent.
local function bury_response(bridge, member, known, reason)
    local rules = bridge.rules
    if rules.dead == '' or not known.origin then
        return
    end
    local request_id, response_id, conversation_id = json_ids_of(member)
    local task = known.task or ''
    local text = '{"type":"response","conversationId":' .. conversation_id .. ',"requestId":' .. request_id .. ',"responseId":' .. response_id ..
        ',"origin":' .. cjson.encode(known.origin) .. (known.more and ',"more":true' or '') ..
        (string.sub(task, 1, 1) == '{' and task ~= '{}' and ',' .. string.sub(task, 2) or '}')
    add_dead_letter(rules.dead, text, {
        reason = reason, attempts = known.attempts, died = math.floor(bridge.now / 1000), service = rules.owner,
        origin = rules.source ~= '' and rules.source or nil
    })
end
