#!lua flags=no-writes
--- @doc The metrics of a namespace: those of these names that there are, what services have counted beside them, and how many messages it follows now.
--- @key tracked            string, how many messages are tracked
--- @key retries            sorted set of those that wait to be delivered again
--- @key index              set of what services have counted, as JSON: [name] or [name, service, queue]
--- @arg text prefix        of the metrics' keys
--- @arg whole most         rows at the most
--- @args names
--- @returns whole live     messages that are tracked
--- @returns whole waiting  those of them that wait to be delivered again
--- @rows listed_metric rows (text name, text service, text queue, texts fields) fields: by turns a field and its value
local rows, known, count = {}, {}, 0
local function add(name, service, queue, key)
    local fields = redis.pcall('HGETALL', key)
    if not known[key] and not fields.err and #fields > 0 and count < most then
        known[key], count = true, count + 1
        rows[#rows + 1] = name
        rows[#rows + 1] = service
        rows[#rows + 1] = queue
        rows[#rows + 1] = #fields
        for i = 1, #fields do
            rows[#rows + 1] = fields[i]
        end
    end
end
for _, name in ipairs(names) do
    add(name, '', '', prefix .. name)
end
local indexed = redis.pcall('SRANDMEMBER', index, most)
for _, member in ipairs(indexed.err and {} or indexed) do
    local read, parts = pcall(cjson.decode, member)
    if read and type(parts) == 'table' and type(parts[1]) == 'string' then
        local name, service, queue = parts[1], tostring(parts[2] or ''), tostring(parts[3] or '')
        add(name, service, queue, prefix .. name .. (parts[2] and '@' .. service .. '/' .. queue or ''))
    end
end
local waiting = redis.pcall('ZCARD', retries)
return {tonumber(redis.pcall('GET', tracked)) or 0, type(waiting) == 'number' and waiting or 0, rows}
