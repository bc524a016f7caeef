-- Pushes the batch to every out, then shortens the source. Returns nil, or the error after which all keys are as before:
-- what can be refused is asked first, every write is a pcall, and the undo needs no right that was not asked for.
local function push_all_or_none(source, outs, batch)
    local function may(command, key, ...)
        if not redis.acl_check_cmd(command, key, ...) then
            return redis.error_reply('NOPERM this user may not ' .. command .. ' key=' .. key)
        end
    end
    local denied = may('LTRIM', source, '0', '0')
    for _, out in ipairs(outs) do
        denied = denied or may('LPUSH', out, '') or may('LTRIM', out, '0', '0')
    end
    if denied then
        return denied
    end

    local count = #batch
    local function undo(pushed, failed, key)
        for i = 1, pushed do
            redis.pcall('LTRIM', outs[i], count, -1)
        end
        return redis.error_reply(failed.err .. ' key=' .. key)
    end
    for i, out in ipairs(outs) do
        local pushed = redis.pcall('LPUSH', out, unpack(batch))
        if type(pushed) == 'table' then
            return undo(i - 1, pushed, out)
        end
    end
    local trimmed = redis.pcall('LTRIM', source, 0, -(count + 1))
    if trimmed.err then
        return undo(#outs, trimmed, source)
    end
    return nil
end
