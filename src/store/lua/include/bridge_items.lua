--- @include bridge_claim
-- Runs the items of one call, in order, by the script's own `run_item` and `sizes`. One that fails, because a key has the wrong type,
-- say, fails alone: every item reads all its keys before it writes. Three words for each: what became of it, milliseconds that it
-- waits at most, and what else is to be said.
local function run_items(run_item, sizes)
    local answers, at, size = {}, 1, 0
    while at <= #items do
        local done, state, waits, detail = pcall(run_item, at)
        if not done then
            state, waits, detail = 'ERROR', 0, type(state) == 'table' and state.err or tostring(state)
        end
        answers[size + 1], answers[size + 2], answers[size + 3] = state, waits == 0 and '0' or digits(waits), detail or ''
        size, at = size + 3, at + sizes[items[at]]
    end
    local due = close_call()
    for i = 1, #claims do
        answers[size + i] = claims[i]
    end
    answers[#answers + 1] = refused
    return {claimed, ready, due, answers}
end
