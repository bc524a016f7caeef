--- @include failures
--- @include may
--- @include may_move
--- @include move_batch
--- @include sizes
-- Moves the next messages from the right end of `source` to the left of a hand. While there are suspects, whose taker died, it
-- looks at each message: a suspect is taken alone, into an empty hand, so that if it kills again nobody else is suspected. One
-- that has failed less often than `bounds.max_suspect_failures` may join others, but no suspect: its taker clears it when it has begun.
-- `bounds` as for move_batch. Returns a table, or nil and the error, after which all keys are as before.
local function take_carefully(source, hand, suspects, bounds)
    local length, wrong = list_length(source)
    local held, wrong_hand = list_length(hand)
    wrong = wrong or wrong_hand or may_move(source, {hand}) or may('LMOVE', source, hand, 'RIGHT', 'LEFT')
        or may('LINDEX', source, '-1') or may('SISMEMBER', suspects, '')
    if wrong then
        return nil, wrong
    end
    local function is_suspect(message)
        return redis.pcall('SISMEMBER', suspects, redis.sha1hex(message)) == 1
    end
    local batch = {moved = 0, bytes = 0, left = length, largest = 0, spent = 0, messages = {}, waits = 0}
    local function must_be_alone(message)
        return failures_of(bounds.deliveries, redis.sha1hex(message)).deliveries >= bounds.max_suspect_failures
    end
    local newest = held > 0 and redis.call('LINDEX', hand, 0)
    if newest and is_suspect(newest) then
        batch.waits = 1
        return batch
    end
    while batch.moved < math.min(length, bounds.max_count, 100) and batch.bytes < bounds.max_bytes do
        local message = redis.call('LINDEX', source, -1)
        local alone = is_suspect(message)
        if alone and held + batch.moved > 0 and must_be_alone(message) then
            batch.waits = 1
            break
        end
        if type(redis.pcall('LMOVE', source, hand, 'RIGHT', 'LEFT')) == 'table' then
            break
        end
        batch.moved, batch.bytes = batch.moved + 1, batch.bytes + #message
        batch.left, batch.largest = batch.left - 1, math.max(batch.largest, #message)
        batch.messages[batch.moved] = message
        if alone then
            batch.waits = 1
            break
        end
    end
    return batch
end

-- nil, or the error that says what else a call that takes cannot read. While nothing has failed, failures need not be read.
local function may_take(suspects, deliveries, delayed)
    local denied = may('HGET', deliveries, '')
    return may('EXISTS', suspects) or may('ZCOUNT', delayed, '0', '0') or denied and redis.call('EXISTS', deliveries) == 1 and denied
end

local function clear_suspect(suspects, digest)
    if digest ~= '' then
        redis.pcall('SREM', suspects, digest)
    end
end

local function take_batch(source, hand, suspects, bounds)
    if bounds.max_count > 0 and redis.pcall('EXISTS', suspects) == 1 then
        return take_carefully(source, hand, suspects, bounds)
    end
    local messages = {}
    local batch, wrong = move_batch(source, {hand}, bounds, function(chunk, count)
        for i = 1, count do
            messages[#messages + 1] = chunk[i]
        end
    end)
    if not batch then
        return nil, wrong
    end
    batch.messages, batch.waits = messages, 0
    return batch
end

-- How often each has failed; nothing when none of the queue has.
local function failures_among(messages, deliveries)
    local failures = {}
    if #messages > 0 and redis.pcall('EXISTS', deliveries) == 1 then
        for i = 1, #messages do
            failures[i] = failures_of(deliveries, redis.sha1hex(messages[i])).deliveries
        end
    end
    return failures
end
