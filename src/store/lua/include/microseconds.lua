-- A clock that runs while the script does: Lua's own, or on servers that do not lend it TIME, which newer ones stop.
local function microseconds()
    local lent, now = pcall(function() return os.clock() * 1000000 end)
    if lent then
        return now
    end
    local time = redis.call('TIME')
    return time[1] * 1000000 + time[2]
end
