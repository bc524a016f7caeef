-- nil, or the error that names the first of these commands that this user may not give. Asked before the first write, so that
-- none is refused in the middle.
local function may(commands)
    for _, words in ipairs(commands) do
        if not redis.acl_check_cmd(unpack(words)) then
            return redis.error_reply('NOPERM this user may not ' .. words[1] .. ' key=' .. words[2])
        end
    end
end
