#!lua
--- @doc Requests, responses and cancellations of any number of conversations, in order; claims what can go.
--- @block bridge_items
--- @include bridge_cancel
--- @include bridge_items
--- @include bridge_register
--- @include bridge_respond
--- @include bridge_state
local bridge, wrong = open_bridge(rules)
wrong = wrong or check_leases(leases, tokens)
if wrong then
    return wrong
end
-- A conversation has its name in keys beside it when that differs.
local function run_item(at_bridge, words, at)
    local letter, a, b, c, d, e = unpack(words, at, at + 5)
    if letter == 'q' then -- request: conversation, its name, origin, request, timestamp
        return register(at_bridge, at_bridge.prefix .. (b == '' and a or b), a, c, d, e)
    elseif letter == 'r' then -- response: conversation, its name, origin, request, response, timestamp, MinMessageInfo, taskItem, more
        return respond(at_bridge, {
            key = at_bridge.prefix .. (b == '' and a or b), conversation = a, origin = c, request = d, response = e, member = words[at + 7],
            task = words[at + 8], more = words[at + 9] == '1', status = 'PENDING', attempts = 0, timestamp = false, number = false,
            own_request = false, hash = false, token = false
        }, words[at + 6])
    end
    return cancel(at_bridge, a, b, c, d) -- no reply will come: conversation or nothing, request, what MinMessageInfo of its group begin with, reason
end
return run_items(bridge, items, run_item, {q = 6, r = 10, x = 5}, rules.out == '')
