#!lua flags=allow-oom
--- @doc Hands over the answers in an instance's own list, each until it is known to have arrived; keeps the instance's row.
--- @key answers           list of answers, oldest at the right
--- @key given             list of what the last call has handed over, oldest at the right
--- @key instances         sorted set of instances by when they were last heard of, in milliseconds
--- @arg text instance
--- @arg whole arrived     1: what was handed over last has arrived
--- @arg whole max_count
--- @arg whole max_bytes   stop after so many bytes
--- @returns whole left    answers that are still there
--- @returns texts messages oldest first
--- @include server_time
--- @include list_length
local length, wrong = list_length(answers)
local _, wrong_given = list_length(given)
if wrong or wrong_given then
    return wrong or wrong_given
end
redis.call('ZADD', instances, string.format('%.0f', server_milliseconds()), instance)
if arrived == 1 then
    redis.call('UNLINK', given)
end
local messages, bytes = redis.call('LRANGE', given, 0, -1), 0
if #messages > 0 then -- its answer got lost: the same again
    local reversed = {}
    for i = #messages, 1, -1 do
        reversed[#reversed + 1] = messages[i]
    end
    return {length, reversed}
end
while #messages < max_count and bytes < max_bytes do
    local one = redis.call('LMOVE', answers, given, 'RIGHT', 'LEFT')
    if not one then
        break
    end
    messages[#messages + 1], bytes = one, bytes + #one
end
return {length - #messages, messages}
