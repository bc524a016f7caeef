#!lua flags=allow-oom
--- @doc The heartbeat: if the key is there and still ours, gives it a new expiry and writes the time; else changes nothing.
--- @key service            hash of the service
--- @key info               hash of what leat adds
--- @key counter            string, the last id
--- @key ids                list of ids
--- @arg text prefix        of the services' keys
--- @arg whole id
--- @arg text host
--- @arg text pid
--- @arg text started
--- @arg text renewed       what we wrote last, empty before the first beat, * when we cannot know
--- @arg whole expire
--- @returns whole outcome  0 renewed, 1 the key is gone, 2 it is another's
--- @returns whole renewed_now
--- @returns whole last_id  0 when the server has lost the counter
--- @returns whole others   1 when another service of the namespace is alive
--- @include server_time
--- @include other_is_alive
local last_id = tonumber(redis.call('GET', counter) or '0')
local found = redis.call('HMGET', service, 'host', 'pid', 'started', 'renewed')
if not found[1] then
    return {1, 0, last_id, 1}
end
local ours = found[1] == host and found[2] == pid and found[3] == started
if not ours or (renewed ~= '*' and (found[4] or '') ~= renewed) then
    return {2, 0, last_id, 1}
end
local now = server_time()
redis.call('HSET', service, 'renewed', now)
redis.call('EXPIRE', service, expire)
redis.call('EXPIRE', info, expire)
return {0, now, last_id, other_is_alive(ids, prefix, id)}
