#!lua flags=allow-oom
--- @doc Adds to a metric.
--- @key metric
--- @arg whole count
--- @arg text last         what it was, the last time; empty: it does not matter
--- @returns whole counted
--- @include may
local denied = may('HINCRBY', metric, 'count', '1') or may('HSET', metric, 'last', '')
if denied then
    return denied
end
redis.call('HINCRBY', metric, 'count', count)
if last ~= '' then
    redis.call('HSET', metric, 'last', last)
end
return {1}
