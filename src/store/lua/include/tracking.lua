--- @include server_time
--- @include numbers
--- @include count_metric
--- @include tracked_keys
--- @include may_track
--- @include message_ids
-- Gives ids to messages and writes what is known of each: the hash, its cross reference by xid, the list of ids and the index
-- of deadlines, with the body when `kept`. Ids that follow each other are one entry of the index, `first-last`: they are due
-- together. `about` holds counter, tracked, ids, deadlines, retries, prefix, metrics, service, timeout, expire, capacity, kept,
-- plan. Returns an object, or nil and the error; nothing has been written then.
local function begin_tracking(about)
    local prefix, give = about.prefix, redis.pcall
    local wrong = may_track(about)
    if wrong then
        return nil, wrong
    end
    local now = server_milliseconds()
    local timestamp = math.floor(now / 1000)
    local live = count_tracked(about.tracked)
    local tracking = {tracked = 0, untracked = 0, room = math.max(0, about.capacity - live)}
    local moulds, collisions, runs = {}, 0, {}

    -- COPY takes content and expiry along in one command, and refuses a key that is there. What differs is set after; a
    -- place of the same size is kept for it.
    local function mould(name, ...)
        local key = prefix .. 'mould:' .. name
        moulds[name] = key
        redis.pcall('DEL', key)
        redis.pcall('HSET', key, ...)
        redis.pcall('EXPIRE', key, about.expire)
        return key
    end
    local function message_mould()
        local fields = {
            'timestamp', timestamp, 'xid', string.rep('-', 40), 'deadline', timestamp + about.timeout, 'service', about.service
        }
        if about.kept then
            for _, word in ipairs({'attempts', 1, 'times', timestamp}) do
                fields[#fields + 1] = word
            end
        end
        return mould('message', unpack(fields))
    end

    -- Ids come one after the other; one whose key is there is skipped.
    local id, last = 0, 0
    local function next_message(wanted)
        while collisions < 1000 do
            if id == last then
                local given = redis.pcall('INCRBY', about.counter, wanted)
                if type(given) == 'table' then
                    return nil
                end
                last, id = given, given - wanted
            end
            id = id + 1
            local text = whole(id)
            local made = give('COPY', moulds.message or message_mould(), prefix .. text)
            if made == 1 then
                return text
            end
            collisions = collisions + 1
        end
    end

    -- xids and types of `count` messages, and the messages themselves when they are kept.
    function tracking.add(xids, types, bodies, count)
        local most = math.min(count, tracking.room)
        local ids, tracked = {}, 0
        local run = runs[#runs]
        for i = 1, most do
            local text = next_message(most - i + 1)
            if not text then
                break
            end
            local key, cross = prefix .. text, prefix .. 'xid:' .. xids[i]
            give('HSET', key, 'xid', xids[i])
            local type = types[i]
            give('COPY', moulds[type] or mould(type, 'id', text, 'type', type), cross, 'REPLACE')
            give('HSET', cross, 'id', text)
            if about.kept then
                give('SET', key .. ':body', bodies[i], 'EX', about.expire)
            end
            tracked, ids[i] = i, text
            if run and run.last == id - 1 then
                run.last = id
            else
                run = {first = id, last = id}
                runs[#runs + 1] = run
            end
        end
        if tracked > 0 then
            redis.pcall('LPUSH', about.ids, unpack(ids))
        end
        tracking.tracked, tracking.untracked = tracking.tracked + tracked, tracking.untracked + count - tracked
        tracking.room = tracking.room - tracked
    end

    function tracking.finish()
        for _, run in ipairs(runs) do
            redis.pcall('ZADD', about.deadlines, whole(now + 1000 * about.timeout), run_text(run.first, run.last))
        end
        if tracking.tracked > 0 then
            redis.pcall('INCRBY', about.tracked, tracking.tracked)
        end
        for _, key in pairs(moulds) do
            redis.pcall('DEL', key)
        end
        if tracking.tracked > 0 and about.plan ~= '' then
            redis.pcall('SET', prefix .. 'plan:' .. about.service, about.plan, 'EX', about.expire)
        end
        if tracking.untracked > 0 then
            count_metric(about.metrics, 'messageCapacity', tracking.untracked)
            raise_max(about.metrics .. 'messageCapacity', live + tracking.tracked)
        end
        count_metric(about.metrics, 'message:exists', collisions)
    end

    return tracking
end
