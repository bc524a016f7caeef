#!lua flags=allow-oom
--- @doc The heartbeat: if the key is there and still ours, gives it a new expiry and writes the time; else changes nothing. Goes on with the delisting of very many ids.
--- @block registered
--- @block alive
--- @arg text renewed       what we wrote last, empty before the first beat, * when we cannot know
--- @arg text server        id of the server that we wrote it to; another one may have forgotten it
--- @outcome heartbeat state (renewed, key_gone, beaten_by_other, other_registration) the key is there and ours; gone; somebody else writes ours; another service has it
--- @returns whole now      the server's time
--- @returns whole last_id  0 when the server has lost the counter
--- @returns flag others    another service of the namespace is alive
--- @returns texts server   id of this server
--- @include server_time
--- @include server_id
--- @include other_is_alive
--- @include delist_dead
--- @include may
local denied = may('HSET', service, 'renewed', '') or may('EXPIRE', service, '1') or may('EXPIRE', info, '1')
    or may('EXISTS', service) or may('HMGET', service, 'host') or may('GET', counter)
if denied then
    return denied
end
local now = server_time()
local here = server_id()
local last_id = tonumber(redis.call('GET', counter) or '0')
local found = redis.call('HMGET', service, 'host', 'pid', 'started', 'renewed')
if not found[1] then
    return {'key_gone', now, last_id, 1, {here}}
end
if found[1] ~= host or found[2] ~= pid or found[3] ~= started then
    return {'other_registration', now, last_id, 1, {here}}
end
if renewed ~= '*' and here == server and (found[4] or '') ~= renewed then
    return {'beaten_by_other', now, last_id, 1, {here}}
end
redis.call('HSET', service, 'renewed', now)
redis.call('EXPIRE', service, expire)
redis.call('EXPIRE', info, expire)
-- The heartbeat comes first: whatever somebody has made of the list, it never fails over it.
if redis.pcall('TYPE', ids_seen).ok == 'string' and redis.pcall('TYPE', ids).ok == 'list'
    and not may_delist(ids, ids_seen, prefix) then
    delist_dead(ids, ids_seen, prefix, 500)
end
return {'renewed', now, last_id, other_is_alive(prefix, last_id, id), {here}}
