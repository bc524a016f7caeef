#!lua
--- @doc Gives a service an id, writes its key with an expiry, lists it, and delists ids whose key is gone, at most 500 at a time.
--- @block service
--- @block alive
--- @key keys.namespaces    set of all namespaces
--- @key keys.starts        hash, the metric of starts
--- @arg text keys.name_space
--- @arg text kind
--- @arg text name
--- @arg text version
--- @arg text queues       for people
--- @arg text roles        JSON: the queues by their roles
--- @arg text server       that has the queues; empty: this one
--- @outcome entry state (registered, key_in_use) the key of the new id was free; or there already, then nothing was done
--- @returns whole id
--- @returns whole started
--- @returns flag others    another service of the namespace is alive
--- @returns texts here     id of this server
--- @returns whole listed   ids in the list now
--- @include server_time
--- @include server_id
--- @include other_is_alive
--- @include delist_dead
--- @include may
local function wrong_type(key, expected)
    local found = redis.call('TYPE', key).ok
    if found ~= 'none' and found ~= expected then
        return redis.error_reply('WRONGTYPE expected a ' .. expected .. ', found a ' .. found .. ' key=' .. key)
    end
end
local some = prefix .. '1' -- as every service
local wrong = may('TYPE', counter) or wrong_type(counter, 'string') or wrong_type(ids, 'list') or wrong_type(namespaces, 'set')
    or wrong_type(ids_seen, 'string') or may_delist(ids, ids_seen, prefix) or may('INCR', counter) or may('HSET', some, '', '')
    or may('EXPIRE', some, '1') or may('DEL', some .. ':info') or may('LPUSH', ids, '') or may('SADD', namespaces, '')
if wrong then
    return wrong
end

local started = server_time()
local id = redis.call('INCR', counter)
local key = prefix .. id
local info = key .. ':info'
if redis.call('EXISTS', key) == 1 then
    return {'key_in_use', id, started, 0, {}, 0}
end
redis.call('HSET', key, 'host', host, 'pid', pid, 'started', started)
redis.call('EXPIRE', key, expire)
redis.call('DEL', info)
redis.call('HSET', info, 'kind', kind, 'name', name, 'version', version, 'queues', queues, 'roles', roles, 'server', server)
redis.call('EXPIRE', info, expire)

-- Living ids are never trimmed; dead ones go, so the list is as long as there are services.
delist_dead(ids, ids_seen, prefix, 500)
local listed = redis.call('LPUSH', ids, id)
redis.call('SADD', namespaces, name_space)
redis.pcall('HINCRBY', starts, 'count', 1)
return {'registered', id, started, other_is_alive(prefix, id - 1, id), {server_id()}, listed}
