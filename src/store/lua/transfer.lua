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
--- @include move_batch
local shown = {}
local bounds = {max_count = max_count, max_bytes = max_bytes, largest = largest, max_length = max_length}
local batch, wrong = move_batch(source, outs, bounds, function(chunk, count)
    for i = 1, math.min(max_shown - #shown, count) do
        shown[#shown + 1] = chunk[i]
    end
end)
if not batch then
    return wrong
end
return {batch.moved, batch.bytes, batch.left, batch.largest, batch.full, batch.spent, shown}
