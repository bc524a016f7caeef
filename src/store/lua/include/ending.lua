--- @include whole
--- @include may
--- @include tracked_keys
-- Ends messages: their keys and their places in the list of ids go, and for a while two bits tell how each ended (1 done, 2
-- without, 3 given up), so that a report that comes after is counted for what it is. Gathered over a call, because many at once cost less;
-- a message that was ended in this call is not met again. The index of deadlines may hold ended messages until they would have
-- been due: to remove each from a large one costs as much as all the rest. `about` holds tracked, ids, passing (the cursor of a
-- compaction), deadlines, retries, prefix, remember (seconds).
-- The bits of a hundred thousand messages are one key. While the index holds any, they are kept for an hour beyond the last
-- deadline: so long nobody may be there to look at it. After that, for `remember` seconds. `ended` is the set of these keys.
local ended_per_key = 100000
local ended_kept = 3600

local function ended_place(prefix, id)
    return prefix .. 'ended:' .. whole(math.floor(id / ended_per_key)), '#' .. whole(id % ended_per_key)
end

-- nil and the error when this user may not.
local function begin_ending(about)
    local some = about.prefix .. '1'
    local denied = may({
        {'DEL', some}, {'HGET', some, 'a'}, {'ZREM', about.deadlines, '1'}, {'BITFIELD', some}, {'BITFIELD_RO', some}, {'EXPIRE', some, '1'},
        {'TTL', some}, {'SADD', some, '1'}, {'SPOP', some, '1'}, {'DECRBY', about.tracked, '1'}, {'LREM', about.ids, '-1', '1'}, {'EXISTS', about.passing},
        {'GET', about.tracked}, {'LLEN', about.ids}, {'ZCARD', about.deadlines}, {'ZCARD', about.retries}
    })
    if denied then
        return nil, denied
    end
    local ending = {how = {}}
    local ended, planned, keys, bits = {}, {}, {}, {}
    local longest = math.max(about.remember, ended_kept)

    -- `xid` is what its hash says; the cross reference goes only if it leads here. `plan`: it may have a body, reports of
    -- single outs, and a place of its own in an index. `left`: seconds until its deadline, for which it is remembered.
    function ending.add(id, xid, how, plan, left)
        local key = about.prefix .. id
        ended[#ended + 1] = id
        ending.how[id] = how
        keys[#keys + 1] = key
        if plan then
            keys[#keys + 1] = key .. ':body'
            keys[#keys + 1] = key .. ':done'
            planned[#planned + 1] = id
        end
        local cross = xid and about.prefix .. 'xid:' .. xid
        if cross and redis.pcall('HGET', cross, 'id') == id then
            keys[#keys + 1] = cross
        end
        if left and left + ended_kept > longest then
            longest = left + ended_kept
        end
        local remembered, bit = ended_place(about.prefix, tonumber(id))
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

    local function each_thousand(list, work)
        for at = 1, #list, 1000 do
            work(at, math.min(at + 999, #list))
        end
    end

    local function forget_places()
        each_thousand(planned, function(from, to)
            redis.pcall('ZREM', about.deadlines, unpack(planned, from, to))
            redis.pcall('ZREM', about.retries, unpack(planned, from, to))
        end)
        if #ended <= 16 then
            redis.pcall('ZREM', about.deadlines, unpack(ended))
        end
    end

    local function remember_all()
        for key, words in pairs(bits) do
            for at = 1, #words, 2000 do
                redis.pcall('BITFIELD', key, unpack(words, at, math.min(at + 1999, #words)))
            end
            if redis.call('TTL', key) < longest then
                redis.pcall('EXPIRE', key, longest)
                redis.pcall('SADD', about.prefix .. 'ended', key)
            end
        end
    end

    -- Nothing is tracked: whatever somebody has done to the count, it is right again.
    local function come_to_rest()
        redis.pcall('DEL', about.tracked)
        local remembered = redis.pcall('SPOP', about.prefix .. 'ended', 1000)
        for _, key in ipairs(remembered) do
            redis.pcall('EXPIRE', key, about.remember)
        end
    end

    -- How many are tracked now, and how many ids in the list are stale.
    function ending.finish()
        if #ended > 0 then
            each_thousand(keys, function(from, to) redis.pcall('DEL', unpack(keys, from, to)) end)
            remember_all()
            forget_places()
            redis.pcall('DECRBY', about.tracked, #ended)
            delist()
        end
        local left = count_tracked(about.tracked)
        if left < 0 or redis.call('ZCARD', about.deadlines) + redis.call('ZCARD', about.retries) == 0 then
            come_to_rest()
        end
        local live = count_tracked(about.tracked)
        return live, math.max(0, redis.call('LLEN', about.ids) - live)
    end

    return ending
end

-- How messages that are gone have ended, in order: 0 when nobody remembers.
local function how_ended(prefix, ids)
    local found, words, places = {}, {}, {}
    for i, id in ipairs(ids) do
        local key, bit = ended_place(prefix, id)
        local asked, at = words[key] or {}, places[key] or {}
        words[key], places[key] = asked, at
        local next = #asked
        asked[next + 1], asked[next + 2], asked[next + 3] = 'GET', 'u2', bit
        at[#at + 1] = i
    end
    for key, asked in pairs(words) do
        local answers = redis.pcall('BITFIELD_RO', key, unpack(asked))
        for n, i in ipairs(places[key]) do
            found[i] = not answers.err and answers[n] or 0
        end
    end
    return found
end
