--- @include count_metric
--- @include counts
-- `times` of what is done: sum, longest, and how many fell into which tenth of the time allowed.
local function count_settled(metrics, counts, times)
    write_counts(metrics, counts)
    local numbers = {}
    for number in string.gmatch(times, '%d+') do
        numbers[#numbers + 1] = tonumber(number)
    end
    if counts.settled == 0 or #numbers ~= 13 then
        return
    end
    redis.pcall('HINCRBY', metrics .. 'settled', 'sum', numbers[1])
    raise_max(metrics .. 'settled', numbers[2])
    for tenth = 0, 10 do
        if numbers[tenth + 3] > 0 then
            redis.pcall('HINCRBY', metrics .. 'settled', 'histo' .. 10 * tenth, numbers[tenth + 3])
        end
    end
end
