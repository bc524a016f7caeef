#!lua flags=allow-oom
--- @doc Ends messages in a taker's hand as it has decided, each once, renews its lease, and hands it the next.
--- @key source             list that messages are taken from
--- @key hand               list of what this taker has in hand, newest at the left
--- @key lease              hash of this taker
--- @key owners             sorted set of takers by the end of their leases, in milliseconds
--- @key suspects           set of digests: what was in hand when a taker died
--- @key deliveries         hash by digest: how often a message was delivered in vain
--- @key delayed            sorted set of messages that wait, by milliseconds
--- @key dead               list of messages given up
--- @keys outs              lists that decisions push to
--- @arg text id            of this taker
--- @arg text token
--- @arg whole call         number of this call
--- @arg whole lease_time   milliseconds
--- @arg whole max_count    most messages to take; 0: none
--- @arg whole max_bytes    stop before more bytes than this; the first message always goes
--- @arg whole largest      size of the largest message seen lately
--- @arg text acquitted     digest of a suspect in hand that has begun and killed nobody; empty: none
--- @arg whole bold         suspects that have failed less often than this are taken beside others
--- @arg whole max_deliveries so often a message is delivered before it is given up
--- @arg text service       who we are, for the story of the dead
--- @arg text metrics       prefix of the metrics' keys; empty: count nothing
--- @arg text tracked       prefix of the messages' keys; empty: none is tracked
--- @arg text reports       list that tracked messages are reported done to
--- @arg text times         of what is done, for the metrics: sum, longest, and how many in each tenth of the time allowed
--- @arg whole oldest       1: the messages are the oldest in hand, in their order
--- @arg text sides         a letter for each message: l when it is among the newer half of the hand, else r
--- @arg text forms         a letter for each message: b when it stands in `words` itself, d when its name does, as that of a large one may; empty: all do themselves
--- @arg text verdicts      a letter for each message: d done, p done with pushes, r try again, b give up, g give back, u give back with pushes
--- @arg text named         a letter for each out: s when the settings name it, m when a message does; k: it is a key to set, by SECONDS:VALUE, or with negative seconds to delete if it has this value, or any for *
--- @args words             the messages, oldest first; then of each p and u its number of pushes, and for each the number of the out and what is pushed, or =NUMBER when the message itself goes to one out; of each r the pause in milliseconds, the reason and the number of the delivery; of each b pushes as of a p, the reason, that number, and the error's name
--- @returns whole state    0, or 1: not the next call, 2: the lease is another's or gone; then nothing was done
--- @returns whole taken    messages taken
--- @returns whole left     messages still in the source
--- @returns whole bytes    their size
--- @returns whole largest  size of the largest message that was read
--- @returns whole waits    1: what is next, or in hand, must be alone
--- @returns whole failed   1: behind the messages stands how often each has failed
--- @returns whole next_delayed milliseconds until the first that waits is due; -1: none waits
--- @returns whole next_lease   likewise, until the first lease ends
--- @returns whole missing  messages that were not in hand any more: nothing was done of what was decided of them
--- @returns whole buried   messages given up
--- @returns whole source_wrong 1: nothing can be taken; `take` says why
--- @returns texts messages oldest first
--- @include server_time
--- @include lease
--- @include take_batch
--- @include may
--- @include dead_letter
--- @include count_metric
--- @include xid_of
--- @include held_message
local now = server_milliseconds()
local seconds = math.floor(now / 1000)
local state, wrong = meet_lease(lease, owners, token, call)
if not state then
    return wrong
end
if state ~= 0 then
    return {state, 0, 0, 0, 0, 0, 0, -1, -1, 0, 0, 0, {}}
end

-- Everything that could refuse a write is asked before the first.
local count = #verdicts
local has = {}
for letter in string.gmatch('dprbgu', '.') do
    has[letter] = string.find(verdicts, letter, 1, true) ~= nil
end
local _, wrong_hand = list_length(hand)
wrong = wrong_hand or may({{'RPOP', hand, '1'}, {'RPUSH', hand, ''}, {'LREM', hand, '-1', ''}})
local closed = {} -- outs that a message has named, and that nothing can be pushed to: why
for i, out in ipairs(outs) do
    local _, wrong_out
    if string.sub(named, i, i) == 'k' then
        wrong_out = may({{'SET', out, '', 'EX', '1'}, {'UNLINK', out}, {'GET', out}})
    else
        _, wrong_out = list_length(out)
        wrong_out = wrong_out or may({{'LPUSH', out, ''}})
    end
    if string.sub(named, i, i) == 'm' then
        closed[out] = wrong_out and wrong_out.err
    else
        wrong = wrong or wrong_out
    end
end
if has.r or has.g or has.u then
    local _, wrong_source = list_length(source)
    wrong = wrong or wrong_source or may({{'RPUSH', source, ''}})
end
if has.r then
    local size = redis.pcall('ZCARD', delayed)
    wrong = wrong or type(size) == 'table' and redis.error_reply(size.err .. ' key=' .. delayed) or may({{'ZADD', delayed, '0', ''}})
end
local fails = has.r or has.b or next(closed) ~= nil
if fails then
    wrong = wrong or may_bury(dead) or may({{'HSET', deliveries, '', ''}, {'EXPIRE', deliveries, '1'}})
end
local remembers = redis.pcall('EXISTS', deliveries, suspects) ~= 0
if fails or remembers then
    wrong = wrong or may({{'HDEL', deliveries, ''}, {'SREM', suspects, ''}})
end
local is_tracked = tracked ~= '' and tonumber(redis.pcall('GET', tracked .. 'tracked')) ~= nil
if is_tracked and (has.d or has.p) then
    local _, wrong_reports = list_length(reports)
    wrong = wrong or wrong_reports or may({{'LPUSH', reports, ''}})
end
if wrong then
    return wrong
end

-- Which of the messages were in hand, and are not any more.
local held, missing, gone, is_any_gone = {}, 0, {}, false
for i = 1, forms ~= '' and count or 0 do -- a large message does not travel back
    if string.sub(forms, i, i) == 'd' then
        local _, message = find_held(hand, words[i])
        gone[i], is_any_gone = not message, is_any_gone or not message
        words[i] = message or ''
    end
end
local function remove_oldest()
    if is_any_gone then
        return false
    end
    local popped = redis.pcall('RPOP', hand, count)
    if not popped or popped.err then
        return false
    end
    for i = 1, count do
        if popped[i] ~= words[i] then
            for j = #popped, 1, -1 do
                redis.pcall('RPUSH', hand, popped[j])
            end
            return false
        end
    end
    for i = 1, count do
        held[i] = true
    end
    return true
end
local function remove(i, side)
    if (string.sub(sides, i, i) == 'l') == (side == 1) then
        held[i] = not gone[i] and redis.pcall('LREM', hand, side, words[i]) == 1
        missing = missing + (held[i] and 0 or 1)
    end
end
if count > 0 and not (oldest == 1 and remove_oldest()) then
    for i = count, 1, -1 do -- each is then next to the end that it is looked for from
        remove(i, 1)
    end
    for i = 1, count do
        remove(i, -1)
    end
end

local counts = {settled = 0, retry = 0, dead = 0}
local word, returned = count, {}
local function next_word()
    word = word + 1
    return words[word]
end
local function forget(message)
    if remembers then
        local digest = redis.sha1hex(message)
        redis.pcall('HDEL', deliveries, digest)
        redis.pcall('SREM', suspects, digest)
    end
end
-- What goes to one list in a row is pushed by one command.
local run_to, run = nil, {}
local function flush()
    if #run > 0 then
        redis.pcall('LPUSH', run_to, unpack(run))
        run = {}
    end
end
local function give_up(message, known, reason, name)
    flush()
    local refused = bury(dead, message, {
        reason = reason, name = name ~= '' and name or nil, attempts = known.deliveries, times = known.times, died = seconds, origin = source, service = service
    })
    if refused then -- nothing is left that could, but a message is not lost over it
        returned[#returned + 1] = message
        return
    end
    remembers = true
    forget(message)
    counts.dead = counts.dead + 1
end
-- As a worker would that reports by hand.
local function report(message)
    local id = redis.pcall('HGET', tracked .. 'xid:' .. xid_of(message), 'id')
    if type(id) == 'string' then
        redis.pcall('LPUSH', reports, id .. ':' .. source)
    end
end
local function push_one(to, text, kind)
    if kind == 'k' then
        flush()
        local seconds, value = string.match(text, '^(%-?%d+):(.*)$')
        if tonumber(seconds) > 0 then
            redis.pcall('SET', to, value, 'EX', seconds)
        elseif value == '*' or redis.pcall('GET', to) == value then
            redis.pcall('UNLINK', to)
        end
        return
    end
    if to ~= run_to or #run == 500 then
        flush()
        run_to = to
    end
    run[#run + 1] = text
end
local kinds = {}
for i = 1, #outs do
    kinds[i] = string.sub(named, i, i)
end
-- Returns nil, or why nothing was pushed.
local function push(is_held, message)
    local same = string.match(words[word + 1], '^=(%d+)$')
    if same then -- the message itself, to one list
        word = word + 1
        local number = tonumber(same)
        local refused = closed[outs[number]]
        if is_held and not refused then
            push_one(outs[number], message, kinds[number])
        end
        return refused
    end
    local first = word + 2
    local pushes = tonumber(words[word + 1])
    word = word + 1 + 2 * pushes
    for i = first, word, 2 do
        local refused = closed[outs[tonumber(words[i])]]
        if refused then
            return refused
        end
    end
    for i = first, is_held and word or 0, 2 do
        local number = tonumber(words[i])
        push_one(outs[number], words[i + 1], kinds[number])
    end
end
local function try_again(message, index, is_held)
    local pause, reason, delivery = tonumber(next_word()), next_word(), tonumber(next_word())
    if not is_held then
        return
    end
    local digest = redis.sha1hex(message)
    local known = note_failure(deliveries, digest, seconds, reason, delivery)
    if known.deliveries >= max_deliveries then
        return give_up(message, known, reason)
    end
    redis.pcall('SREM', suspects, digest) -- it failed, but nobody died of it
    counts.retry = counts.retry + 1
    if pause <= 0 then
        returned[#returned + 1] = message
    else -- the number before it tells equal ones apart
        redis.pcall('ZADD', delayed, whole(now + pause), id .. '-' .. whole(call) .. '-' .. index .. ':' .. message)
    end
end
if has.p or has.r or has.b or has.g or has.u or remembers or is_tracked then
    for i = 1, count do
        local message, letter = words[i], string.sub(verdicts, i, i)
        if letter == 'r' then
            try_again(message, i, held[i])
        elseif letter == 'b' then
            push(held[i], message)
            local reason, delivery, name = next_word(), tonumber(next_word()), next_word()
            if held[i] then
                give_up(message, note_failure(deliveries, redis.sha1hex(message), seconds, reason, delivery), reason, name)
            end
        elseif letter == 'g' or letter == 'u' then
            if letter == 'u' then
                push(held[i], message)
            end
            returned[#returned + 1] = held[i] and message or nil
        else
            local refused = letter == 'p' and push(held[i], message)
            if held[i] and refused then
                give_up(message, note_failure(deliveries, redis.sha1hex(message), seconds, refused, 1), refused)
            elseif held[i] then
                forget(message)
                if is_tracked then
                    report(message)
                end
                counts.settled = counts.settled + 1
            end
        end
    end
else
    counts.settled = count - missing
end
flush()
for i = #returned, 1, -1 do -- the oldest is next again
    redis.pcall('RPUSH', source, returned[i])
end
if metrics ~= '' then
    for name, number in pairs(counts) do
        count_metric(metrics, name, number)
    end
    local numbers = {}
    for number in string.gmatch(times, '%d+') do
        numbers[#numbers + 1] = tonumber(number)
    end
    if counts.settled > 0 and #numbers == 13 then
        redis.pcall('HINCRBY', metrics .. 'settled', 'sum', numbers[1])
        raise_max(metrics .. 'settled', numbers[2])
        for tenth = 0, 10 do
            if numbers[tenth + 3] > 0 then
                redis.pcall('HINCRBY', metrics .. 'settled', 'histo' .. 10 * tenth, numbers[tenth + 3])
            end
        end
    end
end
keep_lease(lease, owners, id, call, now + lease_time)

acquit(suspects, acquitted)
local batch, refused = nil, nil
if max_count > 0 then
    batch, refused = take_batch(source, hand, suspects, {
        max_count = max_count, max_bytes = max_bytes, largest = largest, max_length = 0, bold = bold, deliveries = deliveries
    })
end
batch = batch or {moved = 0, bytes = 0, left = 0, largest = 0, waits = 0, messages = {}}
local failed = add_failures(batch, deliveries)
return {
    0, batch.moved, batch.left, batch.bytes, batch.largest, batch.waits, failed, until_first(delayed, now),
    until_first(owners, now), missing, counts.dead, refused and 1 or 0, batch.messages
}
