#!lua
--- @doc Claims a message's own id for one delivery of it.
--- @key mark              string: a token while a delivery of it is at work, `done` when it was settled
--- @arg text token        of this delivery
--- @arg whole again       1: this message was delivered before, so what was begun may have been its own
--- @arg whole seconds     how long a claim holds
--- @returns whole state   0: it is ours, 1: another is at work with it, 2: it is done
local known = redis.call('GET', mark)
if known == 'done' then
    return {2}
end
if known and known ~= token and again == 0 then
    return {1}
end
redis.call('SET', mark, token, 'EX', seconds)
return {0}
