--- @include dead_letter
--- @include failures
--- @include numbers
--- @include pushes
--- @include xid_of
-- Does what was decided of messages that were in flight. `work` holds the keys source, delayed, dead, deliveries and suspects; tracked
-- (prefix of the messages' keys, or false) and reports; now, service, max_deliveries; `call`, which names this call; `remembers`:
-- whether anything has failed lately; the words and pushes of the call. It gathers `returned`, what is next again, and `counts`.
local function forget_failures(work, message)
    local digest = redis.sha1hex(message)
    redis.pcall('HDEL', work.deliveries, digest)
    redis.pcall('SREM', work.suspects, digest)
end

local function bury(work, message, known, reason, name)
    flush(work.pushes)
    local refused = add_dead_letter(work.dead, message, {
        reason = reason, name = name ~= '' and name or nil, attempts = known.deliveries, times = known.times,
        died = math.floor(work.now / 1000), origin = work.source, service = work.service
    })
    if refused then -- nothing is left that could, but a message is not lost over it
        work.returned[#work.returned + 1] = message
        return
    end
    work.remembers = true
    forget_failures(work, message)
    work.counts.dead = work.counts.dead + 1
end

local function fail(work, message, reason, delivery, name)
    local known = note_failure(work.deliveries, redis.sha1hex(message), math.floor(work.now / 1000), reason, delivery)
    bury(work, message, known, reason, name)
end

-- As a worker would that reports by hand.
local function report(work, message)
    local id = redis.pcall('HGET', work.tracked .. 'xid:' .. xid_of(message), 'id')
    if type(id) == 'string' then
        redis.pcall('LPUSH', work.reports, id .. ':' .. work.source)
    end
end

local function retry(work, message, index, pause, reason, delivery)
    local digest = redis.sha1hex(message)
    local known = note_failure(work.deliveries, digest, math.floor(work.now / 1000), reason, delivery)
    if known.deliveries >= work.max_deliveries then
        return bury(work, message, known, reason)
    end
    redis.pcall('SREM', work.suspects, digest) -- it failed, but nobody died of it
    work.counts.retry = work.counts.retry + 1
    if pause <= 0 then
        work.returned[#work.returned + 1] = message
    else -- the number before it tells equal ones apart
        redis.pcall('ZADD', work.delayed, whole(work.now + pause), work.call .. '-' .. index .. ':' .. message)
    end
end

local function finish(work, letter, message, is_held)
    local refused = letter == 'p' and push(work.pushes, work.words, message, is_held)
    if not is_held then
        return
    elseif refused then
        return fail(work, message, refused, 1)
    end
    if work.remembers then
        forget_failures(work, message)
    end
    if work.tracked then
        report(work, message)
    end
    work.counts.settled = work.counts.settled + 1
end

local function settle_one(work, letter, message, index, is_held)
    local words, pushes = work.words, work.pushes
    if letter == 'r' then
        local pause, reason, delivery = tonumber(next_word(words)), next_word(words), tonumber(next_word(words))
        if is_held then
            retry(work, message, index, pause, reason, delivery)
        end
    elseif letter == 'b' then
        push(pushes, words, message, is_held)
        local reason, delivery, name = next_word(words), tonumber(next_word(words)), next_word(words)
        if is_held then
            fail(work, message, reason, delivery, name)
        end
    elseif letter == 'g' or letter == 'u' then
        if letter == 'u' then
            push(pushes, words, message, is_held)
        end
        work.returned[#work.returned + 1] = is_held and message or nil
    end
end

-- Returns how many were settled, are to be retried, and are dead letters now.
local function settle_messages(work, messages, verdicts, lost)
    work.returned, work.counts = {}, {settled = 0, retry = 0, dead = 0}
    for i = 1, #verdicts do
        local letter = string.sub(verdicts, i, i)
        if letter == 'p' or letter == 'd' then
            finish(work, letter, messages[i], not lost[i])
        else
            settle_one(work, letter, messages[i], i, not lost[i])
        end
    end
    flush(work.pushes)
    for i = #work.returned, 1, -1 do -- the oldest is next again
        redis.pcall('RPUSH', work.source, work.returned[i])
    end
    return work.counts
end
