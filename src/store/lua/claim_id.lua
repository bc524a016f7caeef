#!lua
--- @doc Claims a message's own id for one delivery of it.
--- @key mark              string: who is at work with it, or `done` when it was settled
--- @arg text claim        of this delivery: `begun`, a name of its own, and when it was taken under a lease the token and the key of that
--- @arg whole again       1: this message was delivered before, so what was begun may have been its own
--- @arg whole seconds     how long a claim holds
--- @returns whole state   0: it is ours, 1: another is at work with it, 2: it is done
--- @include errors
-- Whoever took a message under a lease that is gone can do nothing with it any more: the message was given back, or recovered.
-- Nil and an error when this user may not look.
local function has_lost_its_lease(known)
    local token, lease = string.match(known, '^begun %S+ (%S+) (.+)$')
    if not token then
        return false
    end
    local held = redis.pcall('HGET', lease, 'token')
    if type(held) == 'table' and not string.find(held.err, '^WRONGTYPE') then
        return nil, error_at(lease, held)
    end
    return held ~= token
end

local known = redis.call('GET', mark)
if known == 'done' then
    return {2}
end
if known and known ~= claim and again == 0 then
    local lost, wrong = has_lost_its_lease(known)
    if wrong then
        return wrong
    elseif not lost then
        return {1}
    end
end
redis.call('SET', mark, claim, 'EX', seconds)
return {0}
