#!lua flags=allow-oom
--- @doc Single responses and groups as somebody wants them, outside the way of a message; claims what can go then.
--- @block bridge_items
--- @include bridge_delete
--- @include bridge_items
--- @include bridge_postpone
--- @include bridge_state
local bridge, wrong = open_bridge(rules)
wrong = wrong or check_leases(leases, tokens)
if wrong then
    return wrong
end
local function run_item(at_bridge, words, at)
    local letter, a, b, c, d, e = unpack(words, at, at + 5)
    if letter == 'd' then -- delete: MinMessageInfo
        return delete_message(at_bridge, a)
    elseif letter == 'g' then -- delete a group: request, what MinMessageInfo of it begin with, status, origins to spare, each between newlines, MinMessageInfo to spare
        return delete_group(at_bridge, a, b, c, d, e)
    elseif letter == 'w' then -- await: MinMessageInfo, date, 1 for its whole group, reason
        return await_message(at_bridge, a, tonumber(b), c, d)
    elseif letter == 'e' then -- fatal error: MinMessageInfo, reason
        return fail_message(at_bridge, a, b)
    elseif letter == 'u' then -- postpone: MinMessageInfo, token or 0
        return postpone(at_bridge, a, tonumber(b))
    end
    return forget_later(at_bridge, a, tonumber(b)) -- MinMessageInfo, milliseconds
end
return run_items(bridge, items, run_item, {d = 2, g = 6, w = 5, e = 3, u = 3, t = 3}, false)
