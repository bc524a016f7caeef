--- @include microseconds
--- @include sizes
--- @include may_move
--- @include move_chunk
-- Moves a batch from the right end of `source` to the left of every out, chunk by chunk, each to all outs or to none.
-- `bounds` holds max_count, max_bytes, largest and max_length. `moved_chunk(chunk, count)` is called after each chunk and
-- must not fail. Returns a table, or nil and the error, after which all keys are as before.
local function move_batch(source, outs, bounds, moved_chunk)
    local began = microseconds()
    local length, wrong = list_length(source)
    if wrong then
        return nil, wrong
    end
    local room, fullest = bounds.max_count, 0
    for index, out in ipairs(outs) do
        local out_length, wrong_out = list_length(out)
        if wrong_out then
            return nil, wrong_out
        end
        if bounds.max_length > 0 and bounds.max_length - out_length < room then
            room, fullest = bounds.max_length - out_length, index
        end
    end
    if length == 0 or room <= 0 then -- `fullest` is 0 when the caller allows none
        return {moved = 0, bytes = 0, left = length, largest = 0, full = length > 0 and fullest or 0, spent = 0}
    end
    local denied = may_move(source, outs)
    if denied then
        return nil, denied
    end

    -- Redis cannot tell how large an element is without handing it out, so this feels its way: one, then twice as many
    -- each time, never more at once than 128, or than should fit by the largest seen, here or by the caller before. A huge
    -- message behind small ones is so met in a small company. (LPUSH unpacks a chunk onto Lua's stack, which holds less
    -- than 8000.)
    local most = math.min(length, room)
    local moved, bytes, largest_met = 0, 0, 0
    local function next_step(step)
        local fit = math.floor((bounds.max_bytes - bytes) / math.max(largest_met, bounds.largest, 1))
        return math.max(1, math.min(most - moved, step, 128, fit))
    end
    local step = next_step(bounds.largest > 0 and 128 or 1)
    while moved < most and bytes < bounds.max_bytes do
        local is_all = step >= length - moved
        local count, size, met, chunk =
            move_chunk(source, outs, step, bounds.max_bytes - bytes, moved == 0 and 1 or 0, is_all)
        if not count then
            if moved == 0 then
                return nil, size -- the error
            end
            break -- what was moved is moved; the next call meets the error
        end
        moved_chunk(chunk, count)
        moved, bytes, largest_met = moved + count, bytes + size, math.max(largest_met, met)
        if count < step then
            break -- the next one does not fit
        end
        step = next_step(step * 2)
    end
    return {
        moved = moved, bytes = bytes, left = length - moved, largest = largest_met, full = 0,
        spent = math.ceil(microseconds() - began)
    }
end
