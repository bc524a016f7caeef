--- @include may
--- @include sizes
-- nil, or the error that names the tracking key which is not what it should be: it is looked at before anything is written.
-- Numbers of Lua are whole up to 15 digits.
local function check_tracked(counter, tracked, ids, deadlines, retries)
    for _, key in ipairs({counter, tracked}) do
        local given = redis.pcall('GET', key)
        if type(given) == 'table' and may('GET', key) then
            return may('GET', key)
        elseif type(given) == 'table' or (given and (not string.find(given, '^[1-9]%d*$') and given ~= '0' or #given > 14)) then
            return redis.error_reply('WRONGTYPE expected a whole number of at most 14 digits key=' .. key)
        end
    end
    return wrong_size('LLEN', ids) or wrong_size('ZCARD', deadlines) or wrong_size('ZCARD', retries)
end

-- How many messages are tracked now.
local function count_tracked(tracked)
    return tonumber(redis.call('GET', tracked) or '0')
end
