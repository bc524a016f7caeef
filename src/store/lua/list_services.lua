#!lua flags=no-writes
--- @doc The services of a namespace as their keys show them, newest first, at most 1000.
--- @object service_keys keys
--- @key keys.ids           list of ids, newest at the left
--- @arg text keys.prefix   of the services' keys
--- @returns whole now   the server's time
--- @rows service_row rows (text id, text host, text pid, whole started, whole renewed, text kind, text name, text version, text queues, whole ttl, text roles, text server) no host: the key is gone
--- @include server_time
local rows = {}
local function add(...)
    for i = 1, select('#', ...) do
        rows[#rows + 1] = tostring((select(i, ...)) or '')
    end
end
for _, id in ipairs(redis.call('LRANGE', ids, 0, 999)) do
    local key = prefix .. id
    local known = redis.call('HMGET', key, 'host', 'pid', 'started', 'renewed')
    local info = redis.call('HMGET', key .. ':info', 'kind', 'name', 'version', 'queues', 'roles', 'server')
    add(id, known[1], known[2], known[3], known[4], info[1], info[2], info[3], info[4], redis.call('TTL', key), info[5], info[6])
end
return {server_time(), rows}
