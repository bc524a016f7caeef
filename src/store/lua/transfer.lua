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
--- @returns texts shown   the first of the moved messages, oldest first
--- @include list_length
--- @include read_oldest
--- @include push_all_or_none
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

local batch, bytes, largest_read = read_oldest(source, math.min(length, room), max_bytes, largest)
local refused = push_all_or_none(source, outs, batch)
if refused then
    return refused
end
local shown = {}
for i = 1, math.min(max_shown, #batch) do
    shown[i] = batch[i]
end
return {#batch, bytes, length - #batch, largest_read, 0, shown}
