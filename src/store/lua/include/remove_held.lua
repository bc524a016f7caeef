--- @include held_message
-- The messages of a call: a large one does not travel back, but is found in the hand by its name. `gone` are those that are not there
-- any more, by their place; nil: none.
local function find_named(hand, words, forms, count)
    if not string.find(forms, 'd', 1, true) then
        return words, nil
    end
    local messages, gone = {}, nil
    for i = 1, count do
        messages[i] = words[i]
        if string.sub(forms, i, i) == 'd' then
            local _, message = find_held(hand, words[i])
            messages[i] = message or ''
            if not message then
                gone = gone or {}
                gone[i] = true
            end
        end
    end
    return messages, gone
end

-- Whether they were the oldest in the hand, in their order; then they are removed by one command.
local function remove_oldest(hand, messages, count)
    local popped = redis.pcall('RPOP', hand, count)
    if not popped or popped.err then
        return false
    end
    for i = 1, count do
        if popped[i] ~= messages[i] then
            for j = #popped, 1, -1 do
                redis.pcall('RPUSH', hand, popped[j])
            end
            return false
        end
    end
    return true
end

-- Removes messages from the hand: those whose letter among `sides` is l from its left end on, the others from its right end. Returns
-- which of them are lost, by their place, for they were not there any more; and how many.
local function remove_held(hand, messages, count, gone, are_oldest, sides)
    local lost, missing = {}, 0
    if count == 0 or are_oldest and not gone and remove_oldest(hand, messages, count) then
        return lost, missing
    end
    local function remove(i, side)
        if (string.sub(sides, i, i) == 'l') ~= (side == 1) then
            return
        end
        if gone and gone[i] or redis.pcall('LREM', hand, side, messages[i]) ~= 1 then
            lost[i], missing = true, missing + 1
        end
    end
    for i = count, 1, -1 do -- each is then next to the end that it is looked for from
        remove(i, 1)
    end
    for i = 1, count do
        remove(i, -1)
    end
    return lost, missing
end
