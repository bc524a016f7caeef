-- Those of a message's outs that have not reported it done.
local function silent_outs(prefix, id, outs)
    local silent = {}
    for _, out in ipairs(outs) do
        if redis.pcall('SISMEMBER', prefix .. id .. ':done', out) ~= 1 then
            silent[#silent + 1] = out
        end
    end
    return silent
end
