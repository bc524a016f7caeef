--- @include errors
--- @include may
-- The size of a key, by LLEN, ZCARD or their like; or nil and an error that names the key: of a wrong type, or not ours to read.
local function size_of(command, key)
    local size = redis.pcall(command, key)
    if type(size) == 'number' then
        return size
    end
    return nil, may(command, key) or error_at(key, size)
end

local function list_length(key)
    return size_of('LLEN', key)
end

-- The error alone, or nil.
local function wrong_size(command, key)
    local _, wrong = size_of(command, key)
    return wrong
end
