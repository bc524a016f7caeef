--- @include may
--- @include sizes
-- Pushes to every out, or to none: nil, or why not. An out that has `most` messages is full; 0: never.
local function push_to_outs(outs, body, most)
    for _, out in ipairs(outs) do
        local length, wrong = list_length(out)
        wrong = wrong or may('LPUSH', out, '')
        if most > 0 and length and length >= most then
            return 'full key=' .. out
        elseif wrong then
            return wrong.err
        end
    end
    for _, out in ipairs(outs) do
        redis.pcall('LPUSH', out, body) -- looked at above; nothing is left that could refuse it
    end
end

-- ... in database `db`; `own_db` is the one that the call works in.
local function push_in_db(db, own_db, outs, body, most)
    if db == own_db then
        return push_to_outs(outs, body, most)
    end
    local there = redis.pcall('SELECT', db)
    if there.err then -- a server that has fewer databases now, or no right to: this message waits, others go on
        return there.err .. ' db=' .. db
    end
    local why = push_to_outs(outs, body, most)
    redis.call('SELECT', own_db)
    return why
end
