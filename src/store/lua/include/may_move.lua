--- @include may
-- nil, or the error that says which right is missing for a move and for its undo.
local function may_move(source, outs)
    local denied = may('RPOP', source, '1') or may('RPUSH', source, '') or may('PEXPIRETIME', source)
    for _, out in ipairs(outs) do
        denied = denied or may('LPUSH', out, '') or may('LTRIM', out, '0', '0')
    end
    return denied
end
