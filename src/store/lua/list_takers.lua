#!lua flags=no-writes
--- @doc Who takes from a queue, and how much each has in hand; those whose leases end first come first.
--- @object taking_keys keys
--- @key keys.owners        sorted set of consumers by the end of their leases, in milliseconds
--- @arg text keys.pending  prefix of the hands
--- @arg whole first        how many to skip
--- @arg whole max_count
--- @returns whole all      consumers in all
--- @rows listed_taker rows (text id, whole lease, whole in_flight, text host, text pid, text name, text process, whole opened) lease: milliseconds until it ends, negative when it has
--- @include server_time
--- @include numbers
--- @include sizes
local now = server_milliseconds()
local all, wrong = size_of('ZCARD', owners)
if wrong then
    return wrong
end
local rows = {}
local listed = redis.call('ZRANGE', owners, first, first + max_count - 1, 'WITHSCORES')
for i = 1, #listed, 2 do
    local hand = pending .. ':' .. listed[i]
    local length = redis.pcall('LLEN', hand)
    local known = redis.pcall('HMGET', hand .. ':lease', 'host', 'pid', 'name', 'process', 'opened')
    for _, text in ipairs({listed[i], whole(tonumber(listed[i + 1]) - now), whole(type(length) == 'number' and length or 0)}) do
        rows[#rows + 1] = text
    end
    for field = 1, 5 do
        rows[#rows + 1] = not known.err and known[field] or ''
    end
end
return {all, rows}
