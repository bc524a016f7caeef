#!lua
--- @doc Pushes one message to every out, or to none.
--- @keys outs              lists that each get it
--- @arg text message
--- @arg whole max_length   an out of this length is full; 0: never
--- @returns flag delivered else an out is full
--- @include sizes
--- @include may
for _, out in ipairs(outs) do
    local length, wrong = list_length(out)
    wrong = wrong or may('LPUSH', out, '')
    if wrong then
        return wrong
    end
    if max_length > 0 and length >= max_length then
        return {0}
    end
end
for _, out in ipairs(outs) do
    redis.call('LPUSH', out, message)
end
return {1}
