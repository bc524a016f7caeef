--- @include count_metric
-- Times in whole seconds, gathered over a call and written at its end: count, sum, max, and how many fell into which tenth
-- of the timeout (histo0 to histo90; histo100: the whole of it or more).
local function time_metric(metrics, name)
    local key, count, sum, max, tenths = metrics .. name, 0, 0, 0, {}
    local gathered = {}

    function gathered.add(elapsed, timeout)
        elapsed = math.max(0, elapsed) -- a clock that was set back
        local tenth = timeout > 0 and math.min(10, math.floor(10 * elapsed / timeout)) or 10
        count, sum, max = count + 1, sum + elapsed, math.max(max, elapsed)
        tenths[tenth] = (tenths[tenth] or 0) + 1
    end

    function gathered.write()
        if count == 0 then
            return
        end
        count_metric(metrics, name, count)
        redis.pcall('HINCRBY', key, 'sum', sum)
        raise_max(key, max)
        for tenth, times in pairs(tenths) do
            redis.pcall('HINCRBY', key, 'histo' .. 10 * tenth, times)
        end
    end

    return gathered
end
