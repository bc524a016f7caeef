--- @include count_metric
-- What a call counts, by the names of metrics, until its end.
local function count_one(counts, name)
    counts[name] = (counts[name] or 0) + 1
end

local function write_counts(metrics, counts)
    for name, number in pairs(counts) do
        count_metric(metrics, name, number)
    end
end
