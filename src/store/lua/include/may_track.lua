--- @include may
--- @include tracked_keys
-- Whether messages can be tracked: the keys have their types, and this user every right. nil, or the error. `about` as for
-- begin_tracking.
local function may_track(about)
    local one = about.prefix .. '1'
    return check_tracked(about.counter, about.tracked, about.ids, about.deadlines, about.retries)
        or may('INCRBY', about.counter, '1') or may('INCRBY', about.tracked, '1') or may('LPUSH', about.ids, '1')
        or may('ZADD', about.deadlines, '1', '1') or may('HSET', one, 'a', 'b') or may('COPY', one, about.prefix .. 'xid:1')
        or may('EXPIRE', one, '1') or may('SET', one .. ':body', '') or may('DEL', one)
end
