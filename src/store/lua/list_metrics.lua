#!lua flags=no-writes
--- @doc The metrics of a namespace: those of these names that there are, what services have counted beside them, and how many messages it follows now.
--- @object message_keys keys
--- @key keys.tracked       string, how many messages are tracked
--- @key keys.retries       sorted set of those that wait to be delivered again
--- @key keys.metrics_index set of what services have counted, as JSON: [name], [name, service, queue], or [name, service, queue, hash]
--- @arg text keys.metrics  prefix of the metrics' keys
--- @arg whole most         rows at the most
--- @args names
--- @returns whole live     messages that are tracked
--- @returns whole waiting  those of them that wait to be delivered again
--- @rows listed_metric rows (text name, text service, text queue, texts fields) fields: by turns a field and its value
local rows, known, count, sums = {}, {}, 0, {}
local function add(name, service, queue, fields)
    if #fields > 0 and count < most then
        count = count + 1
        rows[#rows + 1] = name
        rows[#rows + 1] = service
        rows[#rows + 1] = queue
        rows[#rows + 1] = #fields
        for i = 1, #fields do
            rows[#rows + 1] = fields[i]
        end
    end
end
-- Each key once.
local function read(key)
    local fields = known[key] and {} or redis.pcall('HGETALL', key)
    known[key] = true
    return fields.err and {} or fields
end
-- Two hashes may have the same fields.
local function sum(name, fields)
    for i = 1, #fields, 2 do
        local field = name .. fields[i]
        sums[field] = (sums[field] or 0) + (tonumber(fields[i + 1]) or 0)
    end
end
for _, name in ipairs(names) do
    add(name, '', '', read(metrics .. name))
end
local indexed = redis.pcall('SRANDMEMBER', metrics_index, most)
for _, member in ipairs(indexed.err and {} or indexed) do
    local decoded, parts = pcall(cjson.decode, member)
    if decoded and type(parts) == 'table' and type(parts[1]) == 'string' then
        local name, service, queue = parts[1], tostring(parts[2] or ''), tostring(parts[3] or '')
        if type(parts[4]) == 'string' then
            sum(name, read(parts[4]))
        else
            add(name, service, queue, read(metrics .. name .. (parts[2] and '@' .. service .. '/' .. queue or '')))
        end
    end
end
for name, number in pairs(sums) do
    add(name, '', '', {'count', string.format('%.0f', number)})
end
local waiting = redis.pcall('ZCARD', retries)
return {tonumber(redis.pcall('GET', tracked)) or 0, type(waiting) == 'number' and waiting or 0, rows}
