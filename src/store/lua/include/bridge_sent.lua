--- @include bridge_dates
--- @include bridge_ledger
--- @include numbers
--- @include redis_call
-- What an early acknowledgement leaves under its name: its word, whose it is, and behind a new line why it failed. Returns the word
-- and the reason when it is this origin's, or nobody's in particular.
local function read_mark(text, origin)
    local early, rest = string.match(text or '', '^(N?ACK[rf]?):(.*)$')
    for _, by in ipairs(early and {origin, ''} or {}) do
        if rest == by or string.sub(rest, 1, #by + 1) == by .. '\n' then
            return early, string.sub(rest, #by + 2)
        end
    end
end

-- The client took it and will acknowledge it under a name of its own. That may have happened already: whoever of the two comes
-- second finds what the first has left under the name.
local function note_sent(bridge, member, hash, request, response, name, origin, expires)
    local rules = bridge.rules
    local sent_life = whole(rules.sent_ttl)
    local before = call('SET', bridge.names .. name, member, 'NX', 'GET', 'PX', sent_life)
    local early, reason = read_mark(before, origin)
    if early then
        count(bridge, 'ackEarly')
        return early, reason
    end
    if before then
        count(bridge, 'ackConflict') -- two clients use one name: this one's acknowledgement cannot be told from the other's
    end
    local deadline = bridge.now + rules.sent_ttl
    call('HSET', hash, 'status', 'SENT', 'asyncResponseId', name, 'awaitedTo', whole(deadline), 'awaitedToDateTS', seconds(deadline),
        'expiresAtTS', seconds(deadline), 'lifeTS', expires or seconds(deadline), 'fence', '0')
    call('PEXPIRE', hash, sent_life)
    if call('EXISTS', request) == 1 then
        call('HSET', request, 'sent', response)
    end
    due_at(bridge, member, deadline)
    return 'SENT'
end
