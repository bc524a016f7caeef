-- Tells one life of a server from the next, and one server from another; empty when this user may not ask.
local function server_id()
    local info = redis.pcall('INFO', 'server')
    return type(info) == 'string' and info:match('run_id:(%x+)') or ''
end
