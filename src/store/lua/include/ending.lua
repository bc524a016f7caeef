--- @include whole
--- @include may
-- Ends messages: their keys, their places in the indexes and in the list of ids go, and for a while two bits tell how each
-- ended (1 done, 2 without), so that a report that comes after is counted for what it is. Gathered over a call, because many
-- at once cost less; a message that was ended in this call is not met again. `about` holds ids, passing (the cursor of a
-- compaction), deadlines, retries, prefix, remember (seconds).
local ended_per_key = 100000

local function ended_key(prefix, id)
    return prefix .. 'ended:' .. whole(math.floor(id / ended_per_key)), '#' .. whole(id % ended_per_key)
end

-- nil and the error when this user may not.
local function begin_ending(about)
    local some = about.prefix .. '1'
    local denied = may({
        {'DEL', some}, {'HGET', some, 'a'}, {'ZREM', about.deadlines, '1'}, {'BITFIELD', some}, {'EXPIRE', some, '1'},
        {'LREM', about.ids, '-1', '1'}, {'EXISTS', about.passing}
    })
    if denied then
        return nil, denied
    end
    local ending = {how = {}}
    local ended, keys, bits = {}, {}, {}

    -- `xid` is what its hash says; the cross reference goes only if it leads here. `retried`: it may have a body, `awaited`:
    -- reports of single outs.
    function ending.add(id, xid, how, retried, awaited)
        local key = about.prefix .. id
        ended[#ended + 1] = id
        ending.how[id] = how
        keys[#keys + 1] = key
        if retried then
            keys[#keys + 1] = key .. ':body'
        end
        if awaited then
            keys[#keys + 1] = key .. ':done'
        end
        local cross = xid and about.prefix .. 'xid:' .. xid
        if cross and redis.pcall('HGET', cross, 'id') == id then
            keys[#keys + 1] = cross
        end
        local remembered, bit = ended_key(about.prefix, tonumber(id))
        local words = bits[remembered] or {}
        bits[remembered] = words
        local at = #words
        words[at + 1], words[at + 2], words[at + 3], words[at + 4] = 'SET', 'u2', bit, how
    end

    -- Long lists are compacted later: LREM walks them.
    local function delist()
        local length = redis.call('LLEN', about.ids)
        if #ended * length > 20000 or redis.call('EXISTS', about.passing) == 1 then
            return
        end
        for _, id in ipairs(ended) do
            redis.call('LREM', about.ids, -1, id)
        end
    end

    function ending.finish()
        for at = 1, #keys, 1000 do
            redis.pcall('DEL', unpack(keys, at, math.min(at + 999, #keys)))
        end
        local any_waiting = redis.call('ZCARD', about.retries) > 0
        for at = 1, #ended, 1000 do
            local to = math.min(at + 999, #ended)
            redis.pcall('ZREM', about.deadlines, unpack(ended, at, to))
            if any_waiting then
                redis.pcall('ZREM', about.retries, unpack(ended, at, to))
            end
        end
        for key, words in pairs(bits) do
            for at = 1, #words, 2000 do
                redis.pcall('BITFIELD', key, unpack(words, at, math.min(at + 1999, #words)))
            end
            redis.pcall('EXPIRE', key, about.remember)
        end
        if #ended > 0 then
            delist()
        end
        local live = redis.call('ZCARD', about.deadlines) + redis.call('ZCARD', about.retries)
        return live, math.max(0, redis.call('LLEN', about.ids) - live)
    end

    return ending
end

-- How a message that is gone has ended: 0 when nobody remembers.
local function how_ended(prefix, id)
    local key, bit = ended_key(prefix, id)
    local found = redis.pcall('BITFIELD', key, 'GET', 'u2', bit)
    return not found.err and found[1] or 0
end
