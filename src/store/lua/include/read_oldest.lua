-- Up to `most` messages from the right end, oldest first, and their size in bytes. The first one says how large messages
-- are; from then on as many are read at once as should fit, so that a list of huge messages is read one at a time and
-- Redis is not held up. LPUSH unpacks the batch onto Lua's stack, which holds less than 8000 values.
local function read_oldest(source, most, max_bytes)
    local batch, bytes, largest, step = {}, 0, 1, 1
    most = math.min(most, 7000)
    while #batch < most and bytes < max_bytes do
        local taken = #batch
        local chunk = redis.call('LRANGE', source, -(taken + step), -(taken + 1))
        for i = #chunk, 1, -1 do
            local size = #chunk[i]
            if #batch > 0 and bytes + size > max_bytes then
                return batch, bytes
            end
            batch[#batch + 1] = chunk[i]
            bytes = bytes + size
            largest = math.max(largest, size)
        end
        step = math.min(most - #batch, 128, math.max(1, math.floor((max_bytes - bytes) / largest)))
    end
    return batch, bytes
end
