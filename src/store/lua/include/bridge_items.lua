--- @include bridge_claim
-- Nothing is done for an instance that has lost the messages which these items come from: they are another's by now.
local number_of_lease = 0
for token in string.gmatch(tokens, '[^ ]+') do
    number_of_lease = number_of_lease + 1
    local lease = leases[number_of_lease]
    local held = redis.pcall('HGET', lease, 'token')
    if type(held) == 'table' then
        return redis.error_reply(held.err .. ' key=' .. lease)
    elseif held ~= token then
        return redis.error_reply('ERR the lease of this consumer is gone, nothing was done key=' .. lease)
    end
end

-- Runs the items of one call, in order, by the script's own `run_item` and `sizes`. One that fails, because a key has the wrong type,
-- say, fails alone: every item reads all its keys before it writes. Three words for each: what became of it, milliseconds that it
-- waits at most, and what else is to be said. When a call has done enough, the rest are answered AGAIN: nothing was done of them. Not
-- when the order of items counts and another call may be behind this one, as in a program that has the claims handed over.
local function run_items(run_item, sizes, order_counts)
    local keeps_order = order_counts and out == ''
    local answers, at, size = {}, 1, 0
    while at <= #items do
        local letter = items[at]
        local done, state, waits, detail = true, 'AGAIN', 0, ''
        if spent < enough or keeps_order then
            spent = spent + 1
            done, state, waits, detail = pcall(run_item, at)
            local from = letter == 'c' and 'answers' or 'into'
            progress[from] = progress[from] + 1
        end
        if not done then
            state, waits, detail = 'ERROR', 0, type(state) == 'table' and state.err or tostring(state)
        end
        answers[size + 1], answers[size + 2], answers[size + 3] = state, waits == 0 and '0' or digits(waits), detail or ''
        size, at = size + 3, at + sizes[letter]
    end
    local due = close_call()
    for i = 1, #claims do
        answers[size + i] = claims[i]
    end
    answers[#answers + 1] = refused
    return {claimed, ready, due, answers}
end
