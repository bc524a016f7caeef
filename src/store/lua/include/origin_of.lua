--- @include list_length
--- @include may
-- Where a dead message came from, by its story, if it can go back there; or nil and why not. `list` is where it is now, `db` its
-- database.
local checked_origins = {} -- why not, by queue; false when it can
local function origin_of(known, list, db)
    local origin = known and known.origin
    if type(origin) ~= 'string' or origin == '' then
        return nil, 'nobody knows where it came from'
    end
    if type(known.server) == 'string' and known.server ~= '' then
        return nil, 'its queue is on another server: ' .. known.server
    end
    if type(known.db) == 'number' and known.db ~= db then
        return nil, 'its queue is in database ' .. tostring(known.db)
    end
    if origin == list then
        return nil, 'it came from this list itself'
    end
    if checked_origins[origin] == nil then
        local _, wrong = list_length(origin)
        wrong = wrong or may({{'LPUSH', origin, ''}})
        checked_origins[origin] = wrong and wrong.err or false
    end
    if checked_origins[origin] then
        return nil, checked_origins[origin]
    end
    return origin
end
