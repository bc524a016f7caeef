#!lua flags=allow-oom
--- @doc Outcomes of sends, and acknowledgements; claims what can go next.
--- @block bridge_items
--- @include bridge_acknowledge
--- @include bridge_items
--- @include bridge_keys
--- @include bridge_meet
--- @include bridge_outcome
--- @include bridge_state
local bridge, wrong = open_bridge(rules)
wrong = wrong or check_leases(leases, tokens)
if wrong then
    return wrong
end
local function run_item(at_bridge, words, at)
    local letter, a, b, c, d, e = unpack(words, at, at + 5)
    if letter == 'c' then -- outcome of a send: conversation, its name in keys when that differs, request, response, MinMessageInfo, token, s|a|r|f, name or reason, delay, origin if known
        return complete(at_bridge, {
            key = at_bridge.prefix .. (b == '' and a or b), conversation = a, request_id = c, response_id = d, member = e, token = words[at + 6],
            hash = false, request = false
        }, words[at + 7], words[at + 8], tonumber(words[at + 9]), words[at + 10])
    elseif letter == 'k' then -- acknowledgement: origin, name, s|r|f, reason
        return acknowledge(at_bridge, a, b, c, d)
    end
    local head = meet_head(at_bridge, a, conversation_key(at_bridge.prefix, a)) -- claim what can go: conversation
    return head.is, (head.until_ms or at_bridge.now) - at_bridge.now, head.response or ''
end
return run_items(bridge, items, run_item, {c = 11, k = 5, m = 2}, false)
