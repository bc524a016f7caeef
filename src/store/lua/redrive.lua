#!lua
--- @doc Sends one dead message back to the queue that its story names, wherever in the list of the dead it is.
--- @key dead
--- @key story              hash by digest
--- @arg whole db           database of the list
--- @arg text message
--- @outcome redriving state (sent_back, not_there, homeless) it was sent back; somebody else took it; nobody knows where to
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
    return {'homeless', {why_not}}
end
if redis.call('LREM', dead, -1, message) == 0 then
    return {'not_there', {}}
end
redis.call('LPUSH', source, message)
forget_story(story, digest, known)
return {'sent_back', {source}}
