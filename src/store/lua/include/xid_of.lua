--- @include raw_meta_id
-- The id that a message brings along, and its type: a decimal number is its own (`number`), a JSON object may have one in
-- `meta.id` (`meta`), of anything else it is the SHA1 (`sha1`). What is longer than a parser should see is not parsed.
local max_parsed, max_xid = 65536, 256

local function meta_id(message)
    -- Most messages have none, and are not parsed to find that out. A name may be spelt with escapes.
    if not string.find(message, '^%s*{') or #message > max_parsed
        or not (string.find(message, '"meta"', 1, true) or string.find(message, '\\u', 1, true)) then
        return nil
    end
    local parsed, object = pcall(cjson.decode, message)
    local meta = parsed and type(object) == 'table' and object.meta
    local id = type(meta) == 'table' and meta.id
    if type(id) == 'number' then
        id = raw_meta_id(message)
        return id and string.find(id, '^%-?%d+%.?%d*[eE]?[+-]?%d*$') and id
    end
    return type(id) == 'string' and id ~= '' and id
end

local function xid_of(message)
    if #message <= max_xid and string.find(message, '^%d+$') then
        return message, 'number'
    end
    local id = meta_id(message)
    if id and #id <= max_xid then
        return id, 'meta'
    end
    return redis.sha1hex(message), 'sha1'
end
