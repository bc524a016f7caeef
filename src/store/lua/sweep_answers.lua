#!lua flags=allow-oom
--- @doc Removes the lists of answers of instances that were not heard of for long, some at a time: nobody waits for what is in them. Workers may still push to them, so each sweep removes them again, and an instance is forgotten only by the call that has swept its lists.
--- @object answer_keys keys
--- @key keys.instances    sorted set of instances by when they were last heard of, in milliseconds
--- @arg text keys.prefix  what the names of the lists begin with
--- @arg whole quiet       milliseconds after which lists go
--- @arg whole forgotten   milliseconds after which nothing can come any more, and the row goes
--- @arg whole skip        quiet instances that earlier calls have swept, the longest quiet first
--- @arg whole max_count   most instances
--- @returns whole removed lists
--- @returns whole next    what the next call is to skip; -1: all are swept
--- @include server_time
--- @include numbers
--- @include may
local denied = may('UNLINK', prefix) or may('ZREM', instances, '') or may('ZRANGEBYSCORE', instances, '0', '0')
if denied then
    return denied
end
local now = server_milliseconds()
local page = redis.call('ZRANGEBYSCORE', instances, '-inf', whole(now - quiet), 'WITHSCORES', 'LIMIT', skip, max_count)
local removed, stale = 0, {}
for i = 1, #page, 2 do
    removed = removed + redis.call('UNLINK', prefix .. page[i], prefix .. page[i] .. ':given')
    if tonumber(page[i + 1]) <= now - forgotten then
        stale[#stale + 1] = page[i]
    end
end
if #stale > 0 then
    redis.call('ZREM', instances, unpack(stale))
end
return {removed, #page == 2 * max_count and skip + max_count - #stale or -1}
