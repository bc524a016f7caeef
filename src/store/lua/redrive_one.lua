#!lua
--- @doc Sends one dead message back to a queue, wherever in the list of the dead it is.
--- @key dead
--- @key story              hash by digest
--- @key target             list that gets it
--- @arg text message
--- @returns whole redriven 0: it is not there
--- @include list_length
--- @include may
--- @include forget_story
local _, wrong = list_length(dead)
local _, wrong_target = list_length(target)
wrong = wrong or wrong_target or may({{'LREM', dead, '-1', ''}, {'LPUSH', target, ''}})
if wrong then
    return wrong
end
if redis.call('LREM', dead, -1, message) == 0 then
    return {0}
end
redis.call('LPUSH', target, message)
local digest = redis.sha1hex(message)
forget_story(story, digest, read_story(story, digest))
return {1}
