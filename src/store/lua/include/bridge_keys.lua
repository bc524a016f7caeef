-- The keys of a bridge, all below `prefix`: req:<request>, res:<response>, <conversation> with :req and :lock behind it,
-- asyncRequest:<id>, pendingMessages, counts, events, state. Whatever people call their conversations, none is taken for another key:
-- a name that could be is written with %XX, and so is every `%`, `{` and `}`; all others stand as they are.
local own_words = {pendingMessages = true, req = true, res = true, asyncRequest = true, counts = true, events = true, state = true}
local function escaped(byte)
    return string.format('%%%02X', string.byte(byte))
end
local function conversation_key(prefix, conversation)
    if not own_words[conversation] and not string.find(conversation, '[{}%%:]') then
        return prefix .. conversation
    end
    local name = string.gsub(conversation, '[{}%%]', escaped)
    if string.find(name, ':req$') or string.find(name, ':lock$') then
        name = string.gsub(name, ':([^:]*)$', '%%3A%1')
    end
    if own_words[conversation] or string.find(name, '^re[qs]:') or string.find(name, '^asyncRequest:') then
        name = escaped(name) .. string.sub(name, 2)
    end
    return prefix .. name
end

-- MinMessageInfo is {"rqId":"..","rsId":"..","cnId":".."}, written in one way only. A quote inside an id has a backslash before
-- it, so that the bare `","rsId":"` stands where it should and nowhere else.
local function ids_of(member)
    local request, response, conversation = string.match(member, '^{"rqId":"([^"\\]*)","rsId":"([^"\\]*)","cnId":"([^"\\]*)"}$')
    if request then
        return request, response, conversation
    end
    local read, ids = pcall(cjson.decode, member)
    if read and type(ids) == 'table' and type(ids.rqId) == 'string' and type(ids.rsId) == 'string' and type(ids.cnId) == 'string' then
        return ids.rqId, ids.rsId, ids.cnId
    end
end
-- What the MinMessageInfo of every reply to the same request begins with.
local function group_of(member)
    local _, ends = string.find(member, '","rsId":"', 1, true)
    return string.sub(member, 1, ends)
end
local function is_sibling(other, member)
    local group = group_of(member)
    return string.sub(other, 1, #group) == group
end
-- The id of a response as JSON has it, with its quotes. One that JSON writes as it is makes MinMessageInfo no longer.
local function json_response_of(member, request, response, conversation)
    if #member == #request + #response + #conversation + 31 then
        return '"' .. response .. '"'
    end
    local _, first_end = string.find(member, '","rsId":"', 1, true)
    return string.sub(member, first_end, (string.find(member, '","cnId":"', first_end, true)))
end
-- The ids as JSON has them: request, response, conversation, each with its quotes.
local function json_ids_of(member)
    local first, first_end = string.find(member, '","rsId":"', 1, true)
    local second, second_end = string.find(member, '","cnId":"', first_end, true)
    return string.sub(member, 9, first), string.sub(member, first_end, second), string.sub(member, second_end, -2)
end
