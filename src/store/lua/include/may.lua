-- nil, or the error that this user may not give this command. Asked before the first write, so that none is refused in the middle.
local function may(...)
    if not redis.acl_check_cmd(...) then
        local command, key = ...
        return redis.error_reply('NOPERM this user may not ' .. command .. ' key=' .. key)
    end
end
