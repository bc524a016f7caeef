--- @include numbers
-- Seconds that the server has been up; `unknown` when this user may not ask.
local function uptime(unknown)
    local info = redis.pcall('INFO', 'server')
    return type(info) == 'string' and tonumber(info:match('uptime_in_seconds:(%d+)')) or unknown
end

-- Consumers that have died: those whose leases have ended, at most `most`, once the living could renew theirs; then those that are known
-- to be `gone`, each by its id and its process. The caller, `own`, lives. Returns their ids, and how many leases have ended.
local function dead_consumers(owners, pending, own, gone, most, now, grace)
    local lapsed = {}
    if uptime(grace) >= grace then
        lapsed = redis.call('ZRANGE', owners, '-inf', whole(now), 'BYSCORE', 'LIMIT', 0, most)
    end
    local found, met = {}, {[own] = true}
    for _, id in ipairs(lapsed) do
        if not met[id] then
            met[id], found[#found + 1] = true, id
        end
    end
    -- The id may be another's by now, on a server that has lost its data. A hand that was returned in part has no lease any more.
    local function is_still(id, process)
        local its = redis.pcall('HGET', pending .. ':' .. id .. ':lease', 'process')
        return (its == process or not its) and redis.pcall('ZSCORE', owners, id)
    end
    for i = 1, #gone, 2 do
        local id = gone[i]
        if not met[id] and is_still(id, gone[i + 1]) then
            found[#found + 1] = id
        end
    end
    return found, #lapsed
end
