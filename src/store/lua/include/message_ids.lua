--- @include numbers
-- Ids of tracked messages have at most 15 digits: Lua counts exactly so far.
local function is_message_id(id)
    return string.find(id, '^[1-9]%d*$') and #id <= 15
end

-- An entry of the index of deadlines: the id of a message, or `first-last` of several.
local function run_text(first, last)
    return first == last and whole(first) or whole(first) .. '-' .. whole(last)
end

-- nil when it is none of ours.
local function read_run(text)
    local first, last = string.match(text, '^([1-9]%d*)%-([1-9]%d*)$')
    first = first or string.match(text, '^[1-9]%d*$')
    last = last or first
    if first and #first <= 15 and #last <= 15 then
        return tonumber(first), tonumber(last)
    end
end
