-- What Redis has refused, with the key that it is about.
local function error_at(key, refused)
    return redis.error_reply(refused.err .. ' key=' .. key)
end
