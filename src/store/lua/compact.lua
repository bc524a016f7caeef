#!lua flags=allow-oom
--- @doc Removes ended ids from the list of message ids, a part with each call: the living are copied, oldest first, and take the list's place at the end.
--- @object message_keys keys
--- @key keys.ids           list of message ids, newest at the left
--- @key keys.ids_kept      list, the copy
--- @key keys.ids_seen      string: how many ids from the right have been looked at, and how many of them are kept
--- @key keys.tracked       string, how many messages are tracked
--- @arg text keys.prefix   of the messages' keys
--- @arg whole max_count    most ids to look at
--- @returns flag going     the pass is not at its end
--- @returns whole removed  ids that are no longer listed, when it is
--- @include sizes
--- @include may
--- @include tracked_keys
local length, wrong = list_length(ids)
wrong = wrong or may('DEL', ids_kept, ids_seen, ids) or may('LPUSH', ids_kept, '') or may('SET', ids_seen, '')
    or may('EXPIRE', ids_kept, '1') or may('RENAME', ids_kept, ids) or may('PERSIST', ids)
    or may('GET', ids_seen) or may('EXISTS', prefix .. '1') or may('LRANGE', ids, '0', '0')
if wrong then
    return wrong
end
-- A pass goes on only if what it had kept is all there.
local held = redis.pcall('GET', ids_seen)
local seen, copied = string.match(type(held) == 'string' and held or '', '^(%d+) (%d+)$')
seen, copied = tonumber(seen), tonumber(copied)
if not seen or seen > length or redis.pcall('LLEN', ids_kept) ~= copied then
    seen = 0
    redis.call('DEL', ids_kept, ids_seen)
end

if seen == 0 and length == count_tracked(tracked) then
    return {0, 0} -- another has done it
end

-- Living: its key is there. Most are, or none.
local function living(chunk)
    local alive, keys, met = {}, {}, {}
    for i, id in ipairs(chunk) do
        keys[i] = prefix .. id
    end
    local there = redis.call('EXISTS', unpack(keys))
    for i = #chunk, 1, -1 do
        local id = chunk[i]
        alive[i] = there > 0 and not met[id] and (there == #chunk or redis.call('EXISTS', keys[i]) == 1)
        met[id] = true
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
        redis.call('LPUSH', ids_kept, unpack(keep))
    end
    seen, max_count = seen + many, max_count - many
end
if seen < length then
    redis.call('SET', ids_seen, seen .. ' ' .. redis.call('LLEN', ids_kept), 'EX', 60)
    redis.pcall('EXPIRE', ids_kept, 60) -- if nobody goes on, the next one begins anew
    return {1, 0}
end
local removed = length - redis.call('LLEN', ids_kept)
redis.call('DEL', ids_seen)
if removed == length then
    redis.call('DEL', ids, ids_kept)
else
    redis.call('RENAME', ids_kept, ids)
    redis.call('PERSIST', ids)
end
return {0, removed}
