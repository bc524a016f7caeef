#!lua flags=no-writes
--- @doc What an operator wants to know of a queue: how long it is, how much of it waits or is in hand, how old its oldest message is.
--- @key queue
--- @key pending            list that the original keeps what it has in hand in; also the prefix of the next
--- @key owners             sorted set of takers by the end of their leases, in milliseconds
--- @key delayed            sorted set of messages that wait
--- @args message_prefixes  of the namespaces whose tracked messages may be in it
--- @returns whole depth    -1: it is no list
--- @returns whole pending_depth
--- @returns whole takers   whose lease is alive
--- @returns whole lapsed   ... and is not
--- @returns whole delayed_count
--- @returns whole age      seconds that the oldest message is known to be old; -1: nobody knows
--- @returns texts type     what it is instead, when it is no list
--- @include errors
--- @include limits
--- @include server_time
--- @include numbers
--- @include xid_of
local now = server_milliseconds()
local depth = redis.pcall('LLEN', queue)
if type(depth) == 'table' then
    local kind = redis.pcall('TYPE', queue)
    if kind.err or kind.ok == 'none' or kind.ok == 'list' then
        return error_at(queue, depth)
    end
    return {-1, 0, 0, 0, 0, -1, {kind.ok}}
end
local function count(command, ...)
    local found = redis.pcall(command, ...)
    return type(found) == 'number' and found or 0
end
local function seconds_since(timestamp)
    local number = tonumber(timestamp)
    return number and math.max(0, math.floor(now / 1000) - number) or -1
end
local function age_of(message)
    local story = redis.pcall('HGET', queue .. ':story', redis.sha1hex(message))
    if type(story) == 'string' then
        local read, known = pcall(cjson.decode, story)
        return read and type(known) == 'table' and seconds_since(known.died) or -1
    end
    local xid = xid_of(message)
    for _, prefix in ipairs(message_prefixes) do
        local id = redis.pcall('HGET', prefix .. 'xid:' .. xid, 'id')
        if type(id) == 'string' then
            return seconds_since(redis.pcall('HGET', prefix .. id, 'timestamp'))
        end
    end
    return -1
end
local oldest = depth > 0 and redis.call('LINDEX', queue, -1)
local age = oldest and #oldest <= most_bytes and age_of(oldest) or -1 -- to hash a huge one would take too long
return {
    depth, count('LLEN', pending), count('ZCOUNT', owners, '(' .. whole(now), '+inf'), count('ZCOUNT', owners, '-inf', whole(now)),
    count('ZCARD', delayed), age, {}
}
