--- @include errors
--- @include may
-- Whether a lease has this token in its field; or nil and the error, lest a lease that nobody may read be taken for a lost one.
local function has_token(lease, field, token)
    local held = redis.pcall('HGET', lease, field)
    if type(held) == 'table' then
        return nil, may('HGET', lease, field) or error_at(lease, held)
    end
    return held == token
end
