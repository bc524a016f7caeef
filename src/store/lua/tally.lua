#!lua flags=allow-oom
--- @doc Adds what a process has counted to a metric of its namespace.
--- @key metric
--- @arg whole count
--- @arg whole sum         of times; -1: they are none
--- @arg whole max
--- @args tenths           how many fell into which tenth of the time allowed, from 0 to 100
--- @returns whole counted
--- @include count_metric
redis.call('HINCRBY', metric, 'count', count)
if sum >= 0 then
    redis.pcall('HINCRBY', metric, 'sum', sum)
    raise_max(metric, max)
    for i, times in ipairs(tenths) do
        if tonumber(times) > 0 then
            redis.pcall('HINCRBY', metric, 'histo' .. 10 * (i - 1), times)
        end
    end
end
return {1}
