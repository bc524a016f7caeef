-- Lists a message among the dead, with its story in the hash beside, by its digest. Equal messages share a story, which counts
-- them. Returns nil, or the error, after which the message is not listed.
local function bury(dead, body, about)
    local digest, copies = redis.sha1hex(body), 1
    local before = redis.pcall('HGET', dead .. ':story', digest)
    if type(before) == 'string' then
        local read, known = pcall(cjson.decode, before)
        copies = 1 + (read and type(known) == 'table' and tonumber(known.copies) or 1)
    end
    about.copies = copies > 1 and copies or nil
    local written, story = pcall(cjson.encode, about)
    local kept = redis.pcall('HSET', dead .. ':story', digest, written and story or '{}')
    local pushed = type(kept) == 'table' and kept or redis.pcall('LPUSH', dead, body)
    if type(pushed) == 'table' then
        return pushed.err .. ' key=' .. dead
    end
end

-- nil, or the error that says why nothing can be buried there.
local function may_bury(dead)
    for key, commands in pairs({[dead] = {'LLEN', 'LPUSH'}, [dead .. ':story'] = {'HLEN', 'HSET'}}) do
        local size = redis.pcall(commands[1], key)
        if type(size) == 'table' then
            return redis.error_reply(size.err .. ' key=' .. key)
        elseif not redis.acl_check_cmd(commands[2], key, '', '') then
            return redis.error_reply('NOPERM this user may not ' .. commands[2] .. ' key=' .. key)
        end
    end
end
