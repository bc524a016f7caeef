--- @include may
--- @include sizes
-- Lists a message among the dead letters, with its details in the hash beside, by its digest. Equal messages share their details,
-- which count them. Returns nil, or why it is not listed.
local function add_dead_letter(dead, body, details)
    local digest, copies = redis.sha1hex(body), 1
    local before = redis.pcall('HGET', dead .. ':story', digest)
    if type(before) == 'string' then
        local read, known = pcall(cjson.decode, before)
        copies = 1 + (read and type(known) == 'table' and tonumber(known.copies) or 1)
    end
    details.copies = copies > 1 and copies or nil
    local written, text = pcall(cjson.encode, details)
    local kept = redis.pcall('HSET', dead .. ':story', digest, written and text or '{}')
    local pushed = type(kept) == 'table' and kept or redis.pcall('LPUSH', dead, body)
    if type(pushed) == 'table' then
        return pushed.err .. ' key=' .. dead
    end
end

-- nil, or the error that says why nothing can be listed there.
local function may_add_dead_letter(dead)
    return wrong_size('LLEN', dead) or may('LPUSH', dead, '') or wrong_size('HLEN', dead .. ':story')
        or may('HSET', dead .. ':story', '', '')
end
