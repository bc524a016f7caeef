--- @include dead_letter
--- @include may
--- @include sizes
-- Everything that could refuse a write of a settling is asked before the first.

-- Of outs that messages have named, and that nothing can be pushed to: why. And the error of another out, or nil.
local function check_outs(outs, named)
    local closed, wrong = {}, nil
    for i, out in ipairs(outs) do
        local kind = string.sub(named, i, i)
        local wrong_out
        if kind == 'k' then
            wrong_out = may('SET', out, '', 'EX', '1') or may('UNLINK', out) or may('GET', out)
        else
            wrong_out = wrong_size('LLEN', out) or may('LPUSH', out, '')
        end
        if kind == 'm' then
            closed[out] = wrong_out and wrong_out.err
        else
            wrong = wrong or wrong_out
        end
    end
    return closed, wrong
end

-- nil, or the error that could refuse these verdicts. A message whose push is refused is given up; so is one that has failed too often.
local function check_settling(hand, source, delayed, dead, deliveries, suspects, verdicts, closed, remembers)
    local wrong = wrong_size('LLEN', hand) or may('RPOP', hand, '1') or may('RPUSH', hand, '') or may('LREM', hand, '-1', '')
    if string.find(verdicts, '[rgu]') then
        wrong = wrong or wrong_size('LLEN', source) or may('RPUSH', source, '')
    end
    if string.find(verdicts, 'r', 1, true) then
        wrong = wrong or wrong_size('ZCARD', delayed) or may('ZADD', delayed, '0', '')
    end
    local fails = next(closed) or string.find(verdicts, '[rb]')
    if fails then
        wrong = wrong or may_add_dead_letter(dead) or may('HSET', deliveries, '', '') or may('EXPIRE', deliveries, '1')
            or may('HGET', deliveries, '') or may('HGET', dead .. ':story', '')
    end
    if fails or remembers then
        wrong = wrong or may('HDEL', deliveries, '') or may('SREM', suspects, '')
    end
    return wrong
end

local function may_report(reports, tracked, verdicts)
    return string.find(verdicts, '[dp]')
        and (wrong_size('LLEN', reports) or may('LPUSH', reports, '') or may('HGET', tracked .. 'xid:', 'id'))
end
