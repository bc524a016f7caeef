#!lua
--- @doc Writes what belongs to no message in flight, as an HTTP request may bring it: all of it or nothing, and once, however often it is asked.
--- @key mark               string: set for a while when it was done
--- @keys outs              lists that are pushed to
--- @arg whole keep         seconds that the mark stays, longer than anybody asks again
--- @arg text named         a letter for each out: s when the settings name it, m when a message does; k: it is a key to set, by SECONDS:VALUE, or with negative seconds to delete if it has this value, or any for *
--- @args words             the number of pushes, and for each the number of the out and what is pushed
--- @outcome written_once state (done, repeated) repeated: it was done before
--- @include may
--- @include pushes
--- @include settle_checks
local denied = may('EXISTS', mark) or may('SET', mark, '1', 'EX', '1')
if denied then
    return denied
end
if redis.call('EXISTS', mark) == 1 then -- whatever has become of the outs meanwhile
    return {'repeated'}
end
local closed, wrong = check_outs(outs, named)
for _, refused in pairs(closed) do
    wrong = wrong or redis.error_reply(refused)
end
if wrong then
    return wrong
end
redis.call('SET', mark, '1', 'EX', keep)
local pushes = begin_pushes(outs, named, closed)
push(pushes, begin_words(words, 0), '', true)
flush(pushes)
return {'done'}
