-- The server's own clock: replicas on several machines then agree.
local function server_milliseconds()
    local time = redis.call('TIME')
    return time[1] * 1000 + math.floor(time[2] / 1000)
end
local function server_time()
    return math.floor(server_milliseconds() / 1000)
end
local function server_microseconds()
    local time = redis.call('TIME')
    return time[1] * 1000000 + time[2]
end
