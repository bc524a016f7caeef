#!lua flags=allow-oom
--- @doc A clean end: removes the key, if it is ours, and the id.
--- @block registered
--- @returns whole del
--- @returns whole lrem
--- @include may
local denied = may('DEL', service, info) or may('LREM', ids, '-1', '')
    or may('HMGET', service, 'host')
if denied then
    return denied
end
local found = redis.call('HMGET', service, 'host', 'pid', 'started')
local del = 0
if found[1] == host and found[2] == pid and found[3] == started then
    del = redis.call('DEL', service)
elseif found[1] then
    return {0, 0} -- another's: nothing of it is touched
end
redis.call('DEL', info)
return {del, redis.call('LREM', ids, -1, id)}
