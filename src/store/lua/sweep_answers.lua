#!lua flags=allow-oom
--- @doc Removes the lists of answers of instances that were not heard of for long: nobody waits for what is in them.
--- @key instances         sorted set of instances by when they were last heard of, in milliseconds
--- @arg text answers      what the names of the lists begin with
--- @arg whole quiet       milliseconds after which a list goes
--- @arg whole forgotten   milliseconds after which nothing can come any more, and the row goes
--- @returns whole removed lists
--- @include server_time
local now, removed = server_milliseconds(), 0
for _, instance in ipairs(redis.call('ZRANGEBYSCORE', instances, '-inf', string.format('%.0f', now - quiet), 'LIMIT', 0, 100)) do
    removed = removed + redis.call('UNLINK', answers .. instance, answers .. instance .. ':given')
end
redis.call('ZREMRANGEBYSCORE', instances, '-inf', string.format('%.0f', now - forgotten))
return {removed}
