-- The length of a list, or nil and an error that names the key: of a wrong type, or not ours to read.
local function list_length(key)
    local found = redis.pcall('LLEN', key)
    if type(found) == 'number' then
        return found
    end
    return nil, redis.error_reply(found.err .. ' key=' .. key)
end
