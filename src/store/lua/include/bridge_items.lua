--- @include bridge_close
--- @include bridge_limits
--- @include errors
--- @include numbers
-- Nothing is done for an instance that has lost the messages which these items come from: they are another's by now. nil, or the error.
local function check_leases(leases, tokens)
    local number = 0
    for token in string.gmatch(tokens, '[^ ]+') do
        number = number + 1
        local lease = leases[number]
        local held = redis.pcall('HGET', lease, 'token')
        if type(held) == 'table' then
            return error_at(lease, held)
        elseif held ~= token then
            return redis.error_reply('ERR the lease of this consumer is gone, nothing was done key=' .. lease)
        end
    end
end

-- Runs the items of one call, in order, and gives its answer. `run_item` is the script's own; `sizes` are the words of an item, by its
-- letter. One that fails, because a key has the wrong type, say, fails alone: every item reads all its keys before it writes. When a call
-- has done enough, the rest are answered AGAIN: nothing was done of them. Not when the order of items counts (`keeps_order`) and another
-- call may be behind this one.
local function run_items(bridge, items, run_item, sizes, keeps_order)
    local answers, at, size, service = {}, 1, 0, bridge.service
    bridge.keeps_order = keeps_order
    while at <= #items do
        local letter = items[at]
        local done, state, waits, detail = true, 'AGAIN', 0, ''
        if bridge.spent < enough or keeps_order then
            bridge.spent = bridge.spent + 1
            done, state, waits, detail = pcall(run_item, bridge, items, at)
            local is_answer = letter == 'c'
            if state ~= 'AGAIN' then -- else it is more than one call should do
                service.done_answers = service.done_answers + (is_answer and 1 or 0)
                service.done_in = service.done_in + (is_answer and 0 or 1)
            end
        end
        if not done then
            state, waits, detail = 'ERROR', 0, type(state) == 'table' and state.err or tostring(state)
        end
        answers[size + 1], answers[size + 2], answers[size + 3] = state, waits == 0 and '0' or whole(waits), detail or ''
        size, at = size + 3, at + sizes[letter]
    end
    local due = close_bridge(bridge)
    return {bridge.claimed, bridge.ready, due, bridge.claims, bridge.refused, answers}
end
