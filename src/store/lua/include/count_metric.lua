-- Adds to the metric `name` of a namespace. Whatever a person has made of its key, it never fails: others depend on it.
local function count_metric(metrics, name, count)
    if count > 0 then
        redis.pcall('HINCRBY', metrics .. name, 'count', count)
    end
end

local function raise_max(key, value)
    local held = tonumber(redis.pcall('HGET', key, 'max'))
    if not held or value > held then
        redis.pcall('HSET', key, 'max', value)
    end
end
