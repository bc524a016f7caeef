#!lua
--- @doc Moves a batch as transfer does, and tells what tracking on another server must know of each message.
--- @key source             list that is shortened
--- @keys outs              lists that each get every message
--- @arg whole max_count    most messages to move
--- @arg whole max_bytes    stop before more bytes than this; the first message always goes
--- @arg whole largest      size of the largest message seen lately, so that many of its like are not read at once
--- @arg whole max_length   an out of this length is full; 0: never
--- @arg flag kept          the messages themselves, too
--- @returns whole moved    messages that were moved
--- @returns whole bytes    their size
--- @returns whole left     messages still in the source
--- @returns whole largest  size of the largest message that was read
--- @returns whole full     which out is full, from 1, when nothing moved for that reason
--- @returns whole spent    microseconds of work for it
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
