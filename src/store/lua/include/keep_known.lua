-- How long to leave a message alone that cannot go on now: a second, or longer when there are many of its like, so that looking
-- after them does not keep Redis busy; but never so long that it is forgotten.
local function pause_for(index, expire)
    return math.min(math.max(1000, redis.call('ZCARD', index)), 500 * expire)
end

-- What is known of a message is kept for so long from now on: it has not come to its end yet.
local function keep_known(prefix, id, service, xid, expire)
    local key = prefix .. id
    local keys = {key, key .. ':body', key .. ':done'}
    if service then
        keys[#keys + 1] = prefix .. 'plan:' .. service
    end
    if xid then
        keys[#keys + 1] = prefix .. 'xid:' .. xid
    end
    for _, each in ipairs(keys) do
        redis.pcall('EXPIRE', each, expire)
    end
end
