--- @include bridge_keys
--- @include bridge_clock
-- Whether somebody has served this bridge, and which fence is next. It is kept in a hash: `fence`, the last that was given; `served`,
-- when a call was last made; `downFrom` and `downTo`, the last time that nobody served; `leftIn` and `leftAnswers`, how many of the
-- messages that waited then were not dealt with yet, and `drainInTo` and `drainAnswersTo`, until when they are waited for.
--
-- After a time without service what waits in the queues is dealt with first: it may be the outcome, or the acknowledgement, of what
-- would be given up or sent again. Only then lives are judged.
local away_after = 5000  -- milliseconds without a call, while a response was there: nobody served
local drain_patience = 5000 -- ... that pass without progress of a queue before lives are judged all the same
local progress = {into = 0, answers = 0} -- what this call deals with

local size = redis.pcall('ZCARD', pending)
if type(size) == 'table' then
    return redis.error_reply(size.err .. ' key=' .. pending)
end
local known_state = redis.pcall('HMGET', state_key, 'fence', 'served', 'downFrom', 'downTo', 'leftIn', 'leftAnswers', 'drainInTo', 'drainAnswersTo')
if known_state.err then
    return redis.error_reply(known_state.err .. ' key=' .. state_key)
end
for i = 1, 8 do
    known_state[i] = tonumber(known_state[i]) or false
end
local last_fence, served = known_state[1] or 0, known_state[2] or now
local down_from, down_to = known_state[3] or 0, known_state[4] or 0
local left = {into = known_state[5] or 0, answers = known_state[6] or 0}
local drain_to = {into = known_state[7] or 0, answers = known_state[8] or 0}
if now < served then -- the clock has gone back: what was ahead of it is now
    down_to = math.min(down_to, now)
    drain_to = {into = math.min(drain_to.into, now + drain_patience), answers = math.min(drain_to.answers, now + drain_patience)}
end
-- In the list, and taken by somebody who has not acknowledged it, whether he lives or not.
local function waiting_in(list, hands)
    if list == '' then
        return 0
    end
    local found = redis.pcall('LLEN', list)
    found = type(found) == 'number' and found or 0
    local owners = redis.pcall('ZRANGE', hands .. ':owners', '0', '999')
    for _, id in ipairs(owners.err and {} or owners) do
        local length = redis.pcall('LLEN', hands .. ':' .. id)
        found = found + (type(length) == 'number' and length or 0)
    end
    return found
end
-- The first call after a time without service. A bridge that lists no dead letters judges as if there was always somebody.
local is_back = dead ~= '' and size > 0 and now - served > away_after
if is_back then
    if left.into + left.answers == 0 or served > math.max(drain_to.into, drain_to.answers) then -- else the one before was not over with
        down_from = served
    end
    down_to = now
    left = {into = waiting_in(source, source_hands), answers = waiting_in(answers, answers_hands)}
    drain_to = {into = now + drain_patience, answers = now + drain_patience}
elseif left.into + left.answers > 0 then -- what cannot be read, or was taken away, is not waited for
    left = {into = math.min(left.into, waiting_in(source, source_hands)), answers = math.min(left.answers, waiting_in(answers, answers_hands))}
end
local awaits_outcomes = left.answers > 0 and now <= drain_to.answers
local is_draining = awaits_outcomes or left.into > 0 and now <= drain_to.into

-- Whether a life ended while nobody could do anything about it.
local function ended_unserved(ends)
    return ends > down_from and ends <= down_to
end

-- A token is larger than every one before it, whatever the clock does.
local given_fence = nil
local function next_fence()
    last_fence = math.max(last_fence + 1, now_micros)
    given_fence = digits(last_fence)
    return given_fence
end

-- What a call leaves there.
local function close_service()
    local words = {}
    local function set(name, value)
        words[#words + 1], words[#words + 2] = name, value
    end
    if given_fence then
        set('fence', given_fence)
    end
    if now - served >= 500 or now < served or not known_state[2] then
        set('served', now_text)
    end
    if is_back or now < served then
        set('downFrom', digits(down_from))
        set('downTo', digits(down_to))
    end
    if is_back or now < served or known_state[5] and known_state[5] + known_state[6] > 0 then
        for name, field in pairs({into = 'In', answers = 'Answers'}) do
            local moved = progress[name] > 0 and left[name] > 0
            set('left' .. field, digits(math.max(0, left[name] - progress[name])))
            set('drain' .. field .. 'To', digits(moved and now + drain_patience or drain_to[name]))
        end
    end
    if #words > 0 then
        call('HSET', state_key, unpack(words))
    end
end
