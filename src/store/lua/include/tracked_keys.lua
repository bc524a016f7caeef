--- @include list_length
-- nil, or the error that names the tracking key which is not what it should be: it is looked at before anything is written.
-- Numbers of Lua are whole up to 15 digits.
local function check_tracked(counter, tracked, ids, deadlines, retries)
    for _, key in ipairs({counter, tracked}) do
        local given = redis.pcall('GET', key)
        if type(given) == 'table' or (given and (not string.find(given, '^[1-9]%d*$') and given ~= '0' or #given > 14)) then
            return redis.error_reply('WRONGTYPE expected a whole number of at most 14 digits key=' .. key)
        end
    end
    local _, wrong = list_length(ids)
    for _, index in ipairs({deadlines, retries}) do
        local size = redis.pcall('ZCARD', index)
        if type(size) == 'table' then
            wrong = wrong or redis.error_reply(size.err .. ' key=' .. index)
        end
    end
    return wrong
end

-- How many messages are tracked now.
local function count_tracked(tracked)
    return tonumber(redis.call('GET', tracked) or '0')
end
