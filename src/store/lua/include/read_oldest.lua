-- Up to `most` messages from the right end, oldest first, their size in bytes, and the size of the largest. Redis cannot
-- tell how large an element is without handing it out, so reading feels its way: one, then twice as many each time, never
-- more at once than 32, or than should fit by the largest seen, here or by the caller before. A huge message behind small
-- ones is so met in a small company. LPUSH unpacks the batch onto Lua's stack, which holds less than 8000 values.
local function read_oldest(source, most, max_bytes, largest_before)
    local batch, bytes, largest, step = {}, 0, 0, 1
    most = math.min(most, 7000)
    if largest_before > 0 then
        step = math.min(most, 32, math.max(1, math.floor(max_bytes / largest_before)))
    end
    while #batch < most and bytes < max_bytes do
        local taken = #batch
        local chunk = redis.call('LRANGE', source, -(taken + step), -(taken + 1))
        for i = #chunk, 1, -1 do
            local size = #chunk[i]
            largest = math.max(largest, size)
            if #batch > 0 and bytes + size > max_bytes then
                return batch, bytes, largest
            end
            batch[#batch + 1] = chunk[i]
            bytes = bytes + size
        end
        local fit = math.floor((max_bytes - bytes) / math.max(largest, largest_before, 1))
        step = math.min(most - #batch, step * 2, 32, math.max(1, fit))
    end
    return batch, bytes, largest
end
