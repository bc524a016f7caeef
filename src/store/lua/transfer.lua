#!lua
--- @doc Moves a batch from the right end of a list to the left end of every out: to all of them or to none, in order.
--- @block moving
--- @keys outs              lists that each get every message
--- @arg whole max_shown    how many of the moved messages to hand back, for the debug log
--- @block moved
--- @returns texts shown    the first of the moved messages, oldest first
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
