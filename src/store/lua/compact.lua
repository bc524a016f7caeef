#!lua flags=allow-oom
--- @doc Removes ended ids from the list of message ids, a part with each call: the living are copied, oldest first, and take the list's place at the end.
--- @key ids                list of message ids, newest at the left
--- @key kept               list, the copy
--- @key passing            string: how many ids from the right have been looked at, and how many of them are kept
--- @key deadlines          sorted set of message ids, by milliseconds
--- @key retries            sorted set of those that wait to be delivered again
--- @arg text prefix        of the messages' keys
--- @arg whole max_count    most ids to look at
--- @returns whole going    1 while the pass is not at its end
--- @returns whole removed  ids that are no longer listed, when it is
--- @include list_length
local length, wrong = list_length(ids)
if wrong then
    return wrong
end
-- A pass goes on only if what it had kept is all there.
local held = redis.pcall('GET', passing)
local seen, copied = string.match(type(held) == 'string' and held or '', '^(%d+) (%d+)$')
seen, copied = tonumber(seen), tonumber(copied)
if not seen or seen > length or redis.pcall('LLEN', kept) ~= copied then
    seen = 0
    redis.call('DEL', kept, passing)
end

local waiting_now = redis.call('ZCARD', retries)
if seen == 0 and length == redis.call('ZCARD', deadlines) + waiting_now then
    return {0, 0} -- another has done it
end

-- Living: in an index, or at least its key is there; then it was registered without us, and gets its place in the index.
local function living(chunk)
    local alive, absent, keys, met = {}, {}, {}, {}
    local due = redis.call('ZMSCORE', deadlines, unpack(chunk))
    local waiting = waiting_now > 0 and redis.call('ZMSCORE', retries, unpack(chunk)) or {}
    for i = #chunk, 1, -1 do
        local id = chunk[i]
        alive[i] = (due[i] or waiting[i]) and not met[id]
        if not alive[i] and not met[id] then
            absent[#absent + 1], keys[#keys + 1] = i, prefix .. id
        end
        met[id] = true
    end
    if #keys == 0 or redis.call('EXISTS', unpack(keys)) == 0 then
        return alive
    end
    for at, i in ipairs(absent) do
        local deadline = string.find(chunk[i], '^[1-9]%d*$') and redis.pcall('HGET', keys[at], 'deadline')
        if type(deadline) == 'string' and tonumber(deadline) then
            redis.pcall('ZADD', deadlines, tonumber(deadline) * 1000, chunk[i])
            alive[i] = true
        end
    end
    return alive
end

while seen < length and max_count > 0 do
    local many = math.min(500, length - seen, max_count)
    local chunk = redis.call('LRANGE', ids, -(seen + many), -(seen + 1))
    local alive, keep = living(chunk), {}
    for i = #chunk, 1, -1 do
        if alive[i] then
            keep[#keep + 1] = chunk[i]
        end
    end
    if #keep > 0 then
        redis.call('LPUSH', kept, unpack(keep))
    end
    seen, max_count = seen + many, max_count - many
end
if seen < length then
    redis.call('SET', passing, seen .. ' ' .. redis.call('LLEN', kept), 'EX', 60)
    redis.pcall('EXPIRE', kept, 60) -- if nobody goes on, the next one begins anew
    return {1, 0}
end
local removed = length - redis.call('LLEN', kept)
redis.call('DEL', passing)
if removed == length then
    redis.call('DEL', ids, kept)
else
    redis.call('RENAME', kept, ids)
    redis.call('PERSIST', ids)
end
return {0, removed}
