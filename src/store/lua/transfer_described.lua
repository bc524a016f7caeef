#!lua
--- @doc Moves a batch as transfer does, and tells what tracking on another server must know of each message.
--- @block moving
--- @keys outs              lists that each get every message
--- @arg flag kept          the messages themselves, too
--- @block moved
--- @returns texts described of each message its xid and type, and the message when it is kept
--- @include move_batch
--- @include xid_of
local described = {}
local bounds = {max_count = max_count, max_bytes = max_bytes, largest = largest, max_length = max_length}
local batch, wrong = move_batch(source, outs, bounds, function(chunk, count)
    for i = 1, count do
        local xid, type = xid_of(chunk[i])
        described[#described + 1] = xid
        described[#described + 1] = type
        if kept then
            described[#described + 1] = chunk[i]
        end
    end
end)
if not batch then
    return wrong
end
return {batch.moved, batch.bytes, batch.left, batch.largest, batch.full, batch.spent, described}
