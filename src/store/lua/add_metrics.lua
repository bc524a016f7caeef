#!lua flags=allow-oom
--- @doc Adds what a service has counted to the metrics of its namespace: to the total of each name, and to what this service has counted for a queue.
--- @key index             set of what is counted, as JSON: [name], [name, service, queue], or [name, service, queue, hash]
--- @key writer            string, the last call of this service that was done; expires after a day
--- @arg whole call        its number: what was done is not done again
--- @arg text prefix       of the metrics' keys
--- @arg text service      its name
--- @arg_rows added_metric rows (text name, text queue, text scope, whole longest, text last, texts fields) scope: total, service, both, or hash: others count in the fields of the hash that `last` names; longest: of times, in milliseconds, or -1; fields: by turns a field and what is added to it
--- @returns whole added   rows; 0 when it was done before
--- @include count_metric
--- @include may
local some = prefix .. 'some'
local denied = may('HINCRBY', some, 'count', '1') or may('HSET', some, 'max', '1') or may('HGET', some, 'max')
    or may('SADD', index, '') or may('GET', writer) or may('SET', writer, '', 'EX', '1')
if denied then
    return denied
end
if tonumber(redis.pcall('GET', writer)) == call then
    return {0}
end
redis.call('SET', writer, call, 'EX', 86400)
local function add(key, longest, last, at, fields)
    for i = at, at + fields - 1, 2 do
        redis.pcall('HINCRBY', key, rows[i], rows[i + 1])
    end
    if longest >= 0 then
        raise_max(key, longest)
        redis.pcall('HSET', key, 'unit', 'ms')
    end
    if last ~= '' then
        redis.pcall('HSET', key, 'last', last)
    end
end
local at, added = 1, 0
while at <= #rows do
    local name, queue, scope, longest, last, fields = unpack(rows, at, at + 5)
    longest, fields = tonumber(longest), tonumber(fields)
    if scope == 'hash' then
        redis.pcall('SADD', index, cjson.encode({name, service, queue, last}))
    end
    if scope == 'total' or scope == 'both' then
        add(prefix .. name, longest, last, at + 6, fields)
        redis.pcall('SADD', index, cjson.encode({name}))
    end
    if scope == 'service' or scope == 'both' then
        add(prefix .. name .. '@' .. service .. '/' .. queue, longest, last, at + 6, fields)
        redis.pcall('SADD', index, cjson.encode({name, service, queue}))
    end
    at, added = at + 6 + fields, added + 1
end
return {added}
