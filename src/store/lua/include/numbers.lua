-- A whole number as text, with all its digits; Lua's own way ends at 14.
local function whole(number)
    return string.format('%d', number)
end
