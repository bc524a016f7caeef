--- @include errors
--- @include numbers
-- Whether somebody has served this bridge, and which fence is next. It is kept in a hash: `fence`, the last that was given; `served`,
-- when a call was last made; `downFrom` and `downTo`, the last time that nobody served, and `downBefore`, the times before that; `leftIn` and `leftAnswers`, how many of the
-- messages that waited then were not dealt with yet, and `drainInTo` and `drainAnswersTo`, until when they are waited for.
--
-- After a time without service what waits in the queues is dealt with first: it may be the outcome, or the acknowledgement, of what
-- would be given up or sent again. Only then lives are ended.
local away_after = 5000 -- milliseconds without a call, while a response was there: nobody served
local drain_patience = 10000 -- ... that pass without progress of a queue before lives are ended all the same

-- How many are in the list, or in flight with a consumer, whether it lives or not; and when the last of these leases ends, so that what
-- a dead one had is back. Of very many consumers those whose leases end last are looked at: the others are taken over within seconds, and
-- until then one message more is waited for.
local most_consumers = 200

local function waiting_in(list, hands, now)
    if list == '' then
        return 0, 0
    end
    local found = redis.pcall('LLEN', list)
    found = type(found) == 'number' and found or 0
    local owners, last = redis.pcall('ZRANGE', hands .. ':owners', '0', whole(most_consumers), 'REV', 'WITHSCORES'), 0
    if not owners.err and #owners > 2 * most_consumers then
        found = found + 1
    end
    for i = 1, owners.err and 0 or #owners, 2 do
        local length = redis.pcall('LLEN', hands .. ':' .. owners[i])
        if type(length) == 'number' and length > 0 then
            found, last = found + length, math.max(last, tonumber(owners[i + 1]) or 0)
        end
    end
    return found, math.min(last, now + 3600000)
end

-- Times in which nobody served, as `FROM-TO FROM-TO`: the last twenty. What ended in one may be looked at after the next.
local function remember_time(times, from, to)
    local kept, count = whole(from) .. '-' .. whole(to), 1
    for each in string.gmatch(times, '[^ ]+') do
        if count < 20 then
            kept, count = kept .. ' ' .. each, count + 1
        end
    end
    return kept
end

-- What is left of the messages that waited; `size`: how many responses there are. A bridge that lists no dead letters ends lives as if
-- there was always somebody.
local function look_at_queues(service, rules, size, now)
    service.is_back = rules.dead ~= '' and size > 0 and now - service.served > away_after -- the first call after a time without service
    if service.is_back then
        local is_over = service.left_in + service.left_answers == 0
            or service.served > math.max(service.drain_in_to, service.drain_answers_to)
        if is_over then -- else the time before was not over with
            if service.down_to > service.down_from then
                service.down_before = remember_time(service.down_before, service.down_from, service.down_to)
            end
            service.down_from = service.served
        end
        service.down_to = now
        local back_in, back_answers
        service.left_in, back_in = waiting_in(rules.source, rules.source_hands, now)
        service.left_answers, back_answers = waiting_in(rules.answers, rules.answers_hands, now)
        service.drain_in_to, service.drain_answers_to = math.max(now, back_in) + drain_patience, math.max(now, back_answers) + drain_patience
    elseif service.left_in + service.left_answers > 0 then -- what cannot be read, or was taken away, is not waited for
        service.left_in = math.min(service.left_in, (waiting_in(rules.source, rules.source_hands, now)))
        service.left_answers = math.min(service.left_answers, (waiting_in(rules.answers, rules.answers_hands, now)))
    end
    service.awaits_outcomes = service.left_answers > 0 and now <= service.drain_answers_to
    service.is_draining = service.awaits_outcomes or service.left_in > 0 and now <= service.drain_in_to
end

-- Returns it, or nil and the error.
local function open_service(rules, key, size, micros, now)
    local known = redis.pcall('HMGET', key, 'fence', 'served', 'downFrom', 'downTo', 'leftIn', 'leftAnswers', 'drainInTo', 'drainAnswersTo', 'downBefore')
    if known.err then
        return nil, error_at(key, known)
    end
    local left = tonumber(known[5])
    local service = {
        micros = micros, last_fence = tonumber(known[1]) or 0, given_fence = false, served = tonumber(known[2]) or now,
        is_new = not tonumber(known[2]), down_from = tonumber(known[3]) or 0, down_to = tonumber(known[4]) or 0,
        left_in = left or 0, left_answers = tonumber(known[6]) or 0, had_left = left and left + (tonumber(known[6]) or 0) > 0,
        drain_in_to = tonumber(known[7]) or 0, drain_answers_to = tonumber(known[8]) or 0, is_back = false,
        down_before = known[9] or '',
        done_in = 0, done_answers = 0, -- what this call deals with
        awaits_outcomes = false, is_draining = false
    }
    if now < service.served then -- the clock has gone back: what was ahead of it is now
        service.down_to = math.min(service.down_to, now)
        service.drain_in_to = math.min(service.drain_in_to, now + drain_patience)
        service.drain_answers_to = math.min(service.drain_answers_to, now + drain_patience)
    end
    look_at_queues(service, rules, size, now)
    return service
end

-- Whether a life ended while nobody could do anything about it.
local function ended_unserved(service, ends)
    if ends > service.down_from and ends <= service.down_to then
        return true
    end
    for from, to in string.gmatch(service.down_before, '(%d+)-(%d+)') do
        if ends > tonumber(from) and ends <= tonumber(to) then
            return true
        end
    end
    return false
end

-- A token is larger than every one before it, whatever the clock does.
local function next_fence(service)
    service.last_fence = math.max(service.last_fence + 1, service.micros)
    service.given_fence = whole(service.last_fence)
    return service.given_fence
end
