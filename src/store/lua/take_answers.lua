#!lua flags=allow-oom
--- @doc Hands over the answers in an instance's own list, each until it is known to have arrived; keeps the instance's row.
--- @object answer_keys keys
--- @key keys.list(instance) list of answers, oldest at the right
--- @key keys.given(instance) list of what the last call has handed over, oldest at the right
--- @key keys.instances    sorted set of instances by when they were last heard of, in milliseconds
--- @arg text instance
--- @arg whole arrived     so many of what was handed over last have arrived, the oldest
--- @arg whole max_count
--- @arg whole max_bytes   stop after so many bytes
--- @arg whole largest     of an answer with more bytes only this is handed over: that it was too large
--- @returns whole left    answers that are still there
--- @returns texts messages oldest first
--- @include server_time
--- @include sizes
--- @include may
local length, wrong = list_length(list)
wrong = wrong or wrong_size('LLEN', given) or may('ZADD', instances, '0', '') or may('RPOP', given, '1') or may('LINDEX', given, '0')
    or may('LMOVE', list, given, 'RIGHT', 'LEFT')
if wrong then
    return wrong
end
redis.call('ZADD', instances, string.format('%.0f', server_milliseconds()), instance)
if arrived > 0 then
    redis.call('RPOP', given, arrived)
end
-- What stands for an answer that is not handed over: whose it is, and why.
local function substitute(answer)
    local front, back = string.sub(answer, 1, 4096), string.sub(answer, -4096) -- beside the body, which may hold anything
    local meta = string.match(front, '^%s*{%s*"meta"%s*:%s*(%b{})') or string.match(back, '.*"meta"%s*:%s*(%b{})') or string.match(front, '"meta"%s*:%s*(%b{})') or ''
    local id = string.match(meta, '"id"%s*:%s*("[^"\\]*")') or string.match(meta, '"id"%s*:%s*(%d+)') or '""'
    return '{"meta":{"id":' .. id .. '},"error":{"name":"TooLarge","message":"the answer has ' .. string.format('%d', #answer) ..
        ' bytes, more than ' .. string.format('%d', largest) .. '"}}'
end
local messages, bytes, left = {}, 0, length
local function hand_over(answer)
    bytes = bytes + #answer
    messages[#messages + 1] = #answer > largest and substitute(answer) or answer
end
for place = 1, math.min(redis.call('LLEN', given), max_count) do -- its answer got lost: the same again
    hand_over(redis.call('LINDEX', given, -place))
    if bytes >= max_bytes then
        break
    end
end
if #messages > 0 then
    return {length, messages}
end
while #messages < max_count and bytes < max_bytes do
    local one = redis.call('LMOVE', list, given, 'RIGHT', 'LEFT')
    if not one then
        break
    end
    left = left - 1
    hand_over(one)
end
return {left, messages}
