#!lua
--- @doc Returns messages that a program left in hand to the right end of their queue, where they are next, in their order.
--- @key pending          list that is emptied, from the left
--- @key source           list that gets them
--- @arg whole max_count  most messages to return
--- @arg whole max_bytes  stop when so many bytes were returned
--- @returns whole moved  messages that were returned
--- @returns whole left   messages still pending
--- @include errors
--- @include sizes
--- @include may
local left, wrong = list_length(pending)
wrong = wrong or wrong_size('LLEN', source) or may('LMOVE', pending, source, 'LEFT', 'RIGHT')
if wrong then
    return wrong
end
-- Each step is whole in itself, so that nothing has to be undone when one is refused.
local moved, bytes = 0, 0
while moved < math.min(left, max_count) and bytes < max_bytes do
    local message = redis.pcall('LMOVE', pending, source, 'LEFT', 'RIGHT')
    if type(message) == 'table' then
        return error_at(pending, message)
    end
    moved = moved + 1
    bytes = bytes + #message
end
return {moved, left - moved}
