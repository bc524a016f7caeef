--- @include ended
--- @include may
--- @include tracked_keys
-- Ends messages: their keys and their places in the list of ids go. Gathered over a call, because many at once cost less; a message
-- that was ended in this call is not met again. The index of deadlines may hold ended messages until they would have been due: to
-- remove each from a large one costs as much as all the rest.

-- `about` holds tracked, ids, ids_seen (the cursor of a compaction), deadlines, retries, prefix, remember (seconds); it becomes the
-- ending. Returns it, with `how` each message of this call has ended; or nil and the error: this user may not.
local function begin_ending(about)
    local some = about.prefix .. '1'
    local denied = may('DEL', some) or may('HGET', some, 'a') or may('ZREM', about.deadlines, '1') or may('BITFIELD', some)
        or may('BITFIELD_RO', some) or may('EXPIRE', some, '1') or may('TTL', some) or may('SADD', some, '1')
        or may('SPOP', some, '1') or may('DECRBY', about.tracked, '1') or may('LREM', about.ids, '-1', '1')
        or may('EXISTS', about.ids_seen) or may('GET', about.tracked) or may('LLEN', about.ids) or may('ZCARD', about.deadlines)
        or may('ZCARD', about.retries)
    if denied then
        return nil, denied
    end
    about.how, about.ended, about.planned, about.keys, about.bits = {}, {}, {}, {}, {}
    about.longest = math.max(about.remember, ended_kept)
    return about
end

-- `xid` is what its hash says; the cross reference goes only if it leads here. `plan`: it may have a body, reports of single outs, and
-- a place of its own in an index. `left`: seconds until its deadline, for which it is remembered.
local function end_message(ending, id, xid, how, plan, left)
    local key, keys = ending.prefix .. id, ending.keys
    ending.ended[#ending.ended + 1] = id
    ending.how[id] = how
    keys[#keys + 1] = key
    if plan then
        keys[#keys + 1] = key .. ':body'
        keys[#keys + 1] = key .. ':done'
        ending.planned[#ending.planned + 1] = id
    end
    local cross = xid and ending.prefix .. 'xid:' .. xid
    if cross and redis.pcall('HGET', cross, 'id') == id then
        keys[#keys + 1] = cross
    end
    if left and left + ended_kept > ending.longest then
        ending.longest = left + ended_kept
    end
    note_ended(ending.bits, ending.prefix, id, how)
end

-- A thousand at a time: all must fit on Lua's stack.
local function remove_from(index, ids)
    for at = 1, #ids, 1000 do
        redis.pcall('ZREM', index, unpack(ids, at, math.min(at + 999, #ids)))
    end
end

local function remove_places(ending)
    remove_from(ending.deadlines, ending.planned)
    remove_from(ending.retries, ending.planned)
    if #ending.ended <= 16 then
        redis.pcall('ZREM', ending.deadlines, unpack(ending.ended))
    end
end

-- Long lists are compacted later: LREM walks them.
local function delist(ending)
    local length = redis.call('LLEN', ending.ids)
    if #ending.ended * length > 20000 or redis.call('EXISTS', ending.ids_seen) == 1 then
        return
    end
    for _, id in ipairs(ending.ended) do
        redis.call('LREM', ending.ids, -1, id)
    end
end

-- Writes all of it. Returns how many are tracked now, and how many ids in the list are stale.
local function finish_ending(ending)
    local keys = ending.keys
    for at = 1, #keys, 1000 do
        redis.pcall('DEL', unpack(keys, at, math.min(at + 999, #keys)))
    end
    if #keys > 0 then
        write_ended(ending.bits, ending.prefix, ending.longest)
        remove_places(ending)
        redis.pcall('DECRBY', ending.tracked, #ending.ended)
        delist(ending)
    end
    local left = count_tracked(ending.tracked)
    if left < 0 or redis.call('ZCARD', ending.deadlines) + redis.call('ZCARD', ending.retries) == 0 then
        redis.pcall('DEL', ending.tracked) -- whatever somebody has done to the count, it is right again
        forget_ended(ending.prefix, ending.remember)
    end
    local live = count_tracked(ending.tracked)
    return live, math.max(0, redis.call('LLEN', ending.ids) - live)
end
