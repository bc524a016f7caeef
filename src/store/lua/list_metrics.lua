#!lua flags=no-writes
--- @doc The metrics of a namespace, those of these names that there are, and how many messages it follows now.
--- @key tracked            string, how many messages are tracked
--- @key retries            sorted set of those that wait to be delivered again
--- @arg text prefix        of the metrics' keys
--- @args names
--- @returns whole live     messages that are tracked
--- @returns whole waiting  those of them that wait to be delivered again
--- @returns texts rows     sixteen for each: name count sum max last, and histo0 to histo100; empty: not there
local rows = {}
for _, name in ipairs(names) do
    local fields = {'count', 'sum', 'max', 'last'}
    for tenth = 0, 10 do
        fields[#fields + 1] = 'histo' .. 10 * tenth
    end
    local found = redis.pcall('HMGET', prefix .. name, unpack(fields))
    if not found.err and found[1] then
        rows[#rows + 1] = name
        for i = 1, #fields do
            rows[#rows + 1] = found[i] or ''
        end
    end
end
local waiting = redis.pcall('ZCARD', retries)
return {tonumber(redis.pcall('GET', tracked)) or 0, type(waiting) == 'number' and waiting or 0, rows}
