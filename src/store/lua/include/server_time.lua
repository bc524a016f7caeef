-- Seconds of the server's own clock: replicas on several machines then agree.
local function server_time()
    return tonumber(redis.call('TIME')[1])
end
