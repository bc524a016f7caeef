--- @include numbers
--- @include redis_call
-- Dates of fields are seconds; so are the scores of pendingMessages, with the milliseconds behind the point.
local function seconds(milliseconds)
    return whole(math.floor(milliseconds / 1000))
end
local function due_score(milliseconds)
    return string.format('%.3f', milliseconds / 1000)
end

-- The date of a field so many milliseconds from now.
local function date_after(bridge, milliseconds)
    local dates = bridge.dates
    local known = dates[milliseconds]
    if not known then
        known = seconds(bridge.now + milliseconds)
        dates[milliseconds] = known
    end
    return known
end

local function due_at(bridge, member, milliseconds)
    call('ZADD', bridge.pending, due_score(milliseconds), member)
end
-- ... or earlier, when its life ends before: somebody has to see to it then.
local function due_in_life(bridge, member, milliseconds, ends)
    due_at(bridge, member, ends > bridge.now and math.min(ends, milliseconds) or milliseconds)
end

-- Gives a key its life: never shortens one, and gives one to what had none yet.
local function extend(key, life, is_new)
    if is_new then
        return call('PEXPIRE', key, life)
    end
    return call('PEXPIRE', key, life, 'GT')
end
