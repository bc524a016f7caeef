--- @include errors
--- @include may
-- Moves up to `step` messages from the right end of a list to the left of every out: to all of them or to none, in order.
-- Stops before more than `max_bytes`, but for the first when `at_least` is 1. `is_all`: there are no more than `step`. Returns how many, their size, the size of the
-- largest that was met, and the messages; or nil and the error, after which all keys are as before: every write is a pcall,
-- and the undo needs no right that was not asked for.
local function move_chunk(source, outs, step, max_bytes, at_least, is_all)
    local expires = is_all and redis.pcall('PEXPIRETIME', source) -- an emptied list forgets it
    expires = type(expires) == 'number' and expires > 0 and expires
    local denied = expires and may('PEXPIREAT', source, '1')
    if denied then
        return nil, denied
    end
    local function give_back(chunk, from, to)
        for i = to, from, -1 do
            redis.pcall('RPUSH', source, chunk[i])
        end
        if from <= to and expires then
            redis.pcall('PEXPIREAT', source, expires)
        end
    end

    local chunk = redis.pcall('RPOP', source, step)
    if chunk.err then
        return nil, error_at(source, chunk)
    end
    local count, bytes, largest, taken = 0, 0, 0, #chunk
    for i = 1, taken do
        local size = #chunk[i]
        if size > largest then
            largest = size
        end
        if bytes + size > max_bytes and i > at_least then
            break
        end
        count, bytes = i, bytes + size
    end
    give_back(chunk, count + 1, taken)
    if count == 0 then
        return 0, 0, largest, chunk
    end

    for i, out in ipairs(outs) do
        local pushed = redis.pcall('LPUSH', out, unpack(chunk, 1, count))
        if type(pushed) == 'table' then
            for j = 1, i - 1 do
                redis.pcall('LTRIM', outs[j], count, -1)
            end
            give_back(chunk, 1, count)
            return nil, error_at(out, pushed)
        end
    end
    return count, bytes, largest, chunk
end
