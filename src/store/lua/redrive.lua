#!lua
--- @doc Sends one dead message back to the queue that its story names, wherever in the list of the dead it is.
--- @key dead
--- @key story              hash by digest
--- @arg whole db           database of the list
--- @arg text message
--- @returns whole redriven 1; or 0: it is not there, 2: it cannot go back
--- @returns texts told     where it went, or why it cannot
--- @include may
--- @include sizes
--- @include source_queue_of
--- @include forget_story
local wrong = wrong_size('LLEN', dead) or may('LREM', dead, '-1', '') or may('HGET', story, '')
    or may('HDEL', story, '') or may('HSET', story, '', '')
if wrong then
    return wrong
end
local digest = redis.sha1hex(message)
local known = read_story(story, digest)
local source, why_not = source_queue_of(known, dead, db, {})
if not source then
    return {2, {why_not}}
end
if redis.call('LREM', dead, -1, message) == 0 then
    return {0, {}}
end
redis.call('LPUSH', source, message)
forget_story(story, digest, known)
return {1, {source}}
