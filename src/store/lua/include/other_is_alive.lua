-- 1 when one of the thousand ids before and up to `last_id`, other than `id`, has its key; else 0. The list of ids does not
-- tell: the original trims living ones.
local function other_is_alive(prefix, last_id, id)
    for other = last_id, math.max(1, last_id - 999), -1 do
        if other ~= id and redis.call('EXISTS', prefix .. string.format('%.0f', other)) == 1 then
            return 1
        end
    end
    return 0
end
