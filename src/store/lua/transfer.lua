#!lua
--- @doc Moves a batch from the right end of a list to the left end of every out: to all of them or to none, in order.
--- @key source            list that is shortened
--- @keys outs             lists that each get every message
--- @arg whole max_count   most messages to move
--- @arg whole max_bytes   stop before more bytes than this; the first message always goes
--- @arg whole largest     size of the largest message seen lately, so that many of its like are not read at once
--- @arg whole max_length  an out of this length is full; 0: never
--- @arg whole max_shown   how many of the moved messages to hand back, for the debug log
--- @returns whole moved   messages that were moved
--- @returns whole bytes   their size
--- @returns whole left    messages still in the source
--- @returns whole largest size of the largest message that was read
--- @returns whole full    which out is full, from 1, when nothing moved for that reason
--- @returns whole spent   microseconds of work for it
--- @returns texts shown   the first of the moved messages, oldest first
--- @include microseconds
--- @include list_length
--- @include may_move
--- @include move_chunk
local began = microseconds()
local length, wrong = list_length(source)
if wrong then
    return wrong
end
local room, fullest = max_count, 0
for index, out in ipairs(outs) do
    local out_length, wrong_out = list_length(out)
    if wrong_out then
        return wrong_out
    end
    if max_length > 0 and max_length - out_length < room then
        room, fullest = max_length - out_length, index
    end
end
if length == 0 then
    return {0, 0, 0, 0, 0}
end
if room <= 0 then
    return {0, 0, length, 0, fullest}
end
local denied = may_move(source, outs)
if denied then
    return denied
end

-- Redis cannot tell how large an element is without handing it out, so this feels its way: one, then twice as many each
-- time, never more at once than 128, or than should fit by the largest seen, here or by the caller before. A huge message
-- behind small ones is so met in a small company. (LPUSH unpacks a chunk onto Lua's stack, which holds less than 8000.)
local most = math.min(length, room)
local moved, bytes, largest_met, shown = 0, 0, 0, {}
local function next_step(step)
    local fit = math.floor((max_bytes - bytes) / math.max(largest_met, largest, 1))
    return math.max(1, math.min(most - moved, step, 128, fit))
end
local step = next_step(largest > 0 and 128 or 1)
while moved < most and bytes < max_bytes do
    local is_all = step >= length - moved
    local count, size, met, chunk = move_chunk(source, outs, step, max_bytes - bytes, moved == 0 and 1 or 0, is_all)
    if not count then
        if moved == 0 then
            return size -- the error
        end
        break -- what was moved is moved; the next call meets the error
    end
    for i = 1, math.min(max_shown - #shown, count) do
        shown[#shown + 1] = chunk[i]
    end
    moved, bytes, largest_met = moved + count, bytes + size, math.max(largest_met, met)
    if count < step then
        break -- the next one does not fit
    end
    step = next_step(step * 2)
end
return {moved, bytes, length - moved, largest_met, 0, math.ceil(microseconds() - began), shown}
