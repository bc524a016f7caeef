-- 1 when a listed service other than `id` has its key, or when the list cannot be read; else 0.
local function other_is_alive(ids, prefix, id)
    local listed = redis.pcall('LRANGE', ids, 0, -1)
    if listed.err then
        return 1
    end
    for _, other in ipairs(listed) do
        if other ~= tostring(id) and redis.call('EXISTS', prefix .. other) == 1 then
            return 1
        end
    end
    return 0
end
