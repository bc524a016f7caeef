-- Equal messages share a story, which goes with the last of them. `known` is the story, read; nil: there is none.
local function forget_story(story, digest, known)
    local copies = known and tonumber(known.copies) or 1
    if copies > 1 and copies < 1000000000 then
        known.copies = copies > 2 and copies - 1 or nil
        local written, text = pcall(cjson.encode, known)
        if written then
            return redis.pcall('HSET', story, digest, text)
        end
    end
    if known then
        redis.pcall('HDEL', story, digest)
    end
end

local function read_story(story, digest)
    local text = redis.pcall('HGET', story, digest)
    if type(text) ~= 'string' then
        return nil
    end
    local read, known = pcall(cjson.decode, text)
    return read and type(known) == 'table' and known or {}
end
