--- @include numbers
--- @include may
-- Removes ids whose key is gone from a list of ids, oldest at the right. A call looks at `most` of them, from the right on; of a
-- longer list `progress` holds how many have been looked at and live, until a later call has come to the end. So `most` bounds what
-- a call costs, and not the list. Returns how many were removed.
local function delist_dead(ids, progress, prefix, most)
    local length = redis.call('LLEN', ids)
    local from = tonumber(string.match(redis.call('GET', progress) or '', '^%d+$')) or 0
    if from >= length then
        from = 0
    end
    local part, keys = redis.call('LRANGE', ids, -(from + most), -(from + 1)), {}
    for i, id in ipairs(part) do
        keys[i] = prefix .. id
    end
    local dead = 0
    if #part > 0 and redis.call('EXISTS', unpack(keys)) < #part then
        for i, key in ipairs(keys) do
            if redis.call('EXISTS', key) == 0 then
                redis.call('LSET', ids, i - #part - from - 1, 'dead') -- to remove each would walk the list each time
                dead = dead + 1
            end
        end
        if dead > 0 then
            redis.call('LREM', ids, -dead, 'dead')
        end
    end
    from = from + #part - dead
    if from < length - dead then
        redis.call('SET', progress, whole(from), 'EX', 86400)
    else
        redis.call('DEL', progress)
    end
    return dead
end

-- nil, or the error that says why this user cannot delist.
local function may_delist(ids, progress, prefix)
    return may('LLEN', ids) or may('LRANGE', ids, '0', '0') or may('LSET', ids, '0', '') or may('LREM', ids, '-1', '')
        or may('GET', progress) or may('SET', progress, '') or may('DEL', progress) or may('EXISTS', prefix .. '1')
end
