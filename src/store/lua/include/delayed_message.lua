-- A message that waits has a number before it, which tells equal ones apart: <taker>-<call>-<index>:<message>.
local function delayed_message(member)
    local numbered = string.find(string.sub(member, 1, 64), '^%d+%-%d+%-%d+:')
    return numbered and string.sub(member, string.find(member, ':', 1, true) + 1) or member
end
