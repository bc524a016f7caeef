#!lua
--- @doc Pushes one message to every out, or to none.
--- @keys outs              lists that each get it
--- @arg text message
--- @returns whole delivered
--- @include list_length
for _, out in ipairs(outs) do
    local _, wrong = list_length(out)
    if wrong then
        return wrong
    end
    if not redis.acl_check_cmd('LPUSH', out, '') then
        return redis.error_reply('NOPERM this user may not LPUSH key=' .. out)
    end
end
for _, out in ipairs(outs) do
    redis.call('LPUSH', out, message)
end
return {1}
