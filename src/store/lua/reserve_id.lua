#!lua
--- @doc Reserves a message's own id for one delivery of it.
--- @key mark              string: who is at work with it, or `done` when it was settled
--- @arg text reservation  of this delivery: `begun`, a name of its own, and when it was taken under a lease the token and the key of that
--- @arg flag again        this message was delivered before, so what was begun under no lease may have been its own
--- @arg whole seconds     how long a reservation holds
--- @outcome id_reservation state (reserved, at_work, done, lease_lost) at_work: another is; lease_lost: so are we, the message is another's
--- @include errors
--- @include may
-- Whether the lease that a reservation names is held; nil when it names none. Who took a message under a lease that is gone can do
-- nothing with it any more: the message was given back, or recovered. An error when this user may not look.
local function is_held(by)
    local token, lease = string.match(by, '^begun %S+ (%S+) (.+)$')
    if not token then
        return nil
    end
    local held = redis.pcall('HGET', lease, 'token')
    if type(held) == 'table' and not string.find(held.err, '^WRONGTYPE') then
        return nil, may('HGET', lease, 'token') or error_at(lease, held)
    end
    return held == token
end

local ours, wrong = is_held(reservation)
wrong = wrong or may('GET', mark) or may('SET', mark, '', 'EX', '1')
if wrong then
    return wrong
elseif ours == false then
    return {'lease_lost'}
end
local known = redis.call('GET', mark)
if known == 'done' then
    return {'done'}
end
if known and known ~= reservation then
    local theirs
    theirs, wrong = is_held(known)
    if wrong then
        return wrong
    elseif theirs or theirs == nil and not again then
        return {'at_work'}
    end
end
redis.call('SET', mark, reservation, 'EX', seconds)
return {'reserved'}
