#!lua flags=allow-oom
--- @doc Adds what a service has counted to the metrics of its namespace: to the total of each name, and to what this service has counted for a queue.
--- @object message_keys keys
--- @key keys.metrics_index set of what is counted, as JSON: [name], [name, service, queue], or [name, service, queue, hash]
--- @key keys.metrics_writer(writer) string, the last call of this writer that was done; expires after a day
--- @arg text writer        who counts: a name that no other process has
--- @arg whole call         number of this call: what was done, or is older, is not done again
--- @arg text keys.metrics  prefix of the metrics' keys
--- @arg text service      its name
--- @arg_rows added_metric rows (text name, text queue, text scope, whole longest, text last, texts fields) scope: total, service, both, or hash: others count in the fields of the hash that `last` names; longest: of times, in milliseconds, or -1; fields: by turns a field and what is added to it
--- @returns whole added   rows; 0 when it was done before
--- @include count_metric
--- @include may
local some = metrics .. 'some'
local denied = may('HINCRBY', some, 'count', '1') or may('HSET', some, 'max', '1') or may('HGET', some, 'max')
    or may('SADD', metrics_index, '') or may('GET', metrics_writer) or may('SET', metrics_writer, '', 'EX', '1')
if denied then
    return denied
end
local last_call = tonumber(redis.pcall('GET', metrics_writer))
if last_call and last_call >= call then
    return {0}
end
redis.call('SET', metrics_writer, call, 'EX', 86400)
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
        redis.pcall('SADD', metrics_index, cjson.encode({name, service, queue, last}))
    end
    if scope == 'total' or scope == 'both' then
        add(metrics .. name, longest, last, at + 6, fields)
        redis.pcall('SADD', metrics_index, cjson.encode({name}))
    end
    if scope == 'service' or scope == 'both' then
        add(metrics .. name .. '@' .. service .. '/' .. queue, longest, last, at + 6, fields)
        redis.pcall('SADD', metrics_index, cjson.encode({name, service, queue}))
    end
    at, added = at + 6 + fields, added + 1
end
return {added}
