--- @include sizes
--- @include may
-- Where a dead message came from, by its details, if it can go back there; or nil and why not. `list` is where it is now, `db` its
-- database; `checked` remembers for the rest of a call why nothing can go to a queue: false when it can.
local function source_queue_of(known, list, db, checked)
    local source = known and known.origin
    if type(source) ~= 'string' or source == '' then
        return nil, 'nobody knows where it came from'
    end
    if type(known.server) == 'string' and known.server ~= '' then
        return nil, 'its queue is on another server: ' .. known.server
    end
    if type(known.db) == 'number' and known.db ~= db then
        return nil, 'its queue is in database ' .. tostring(known.db)
    end
    if source == list then
        return nil, 'it came from this list itself'
    end
    if checked[source] == nil then
        local wrong = wrong_size('LLEN', source) or may('LPUSH', source, '')
        checked[source] = wrong and wrong.err or false
    end
    if checked[source] then
        return nil, checked[source]
    end
    return source
end
