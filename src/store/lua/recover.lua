#!lua flags=allow-oom
--- @doc Returns what dead consumers had in flight to the right end of their queue, or gives up what was in flight with too many that died.
--- @object taking_keys keys
--- @key keys.owners        sorted set of consumers by the end of their leases, in milliseconds
--- @key source             list that messages are taken from
--- @key keys.suspects      set of digests: what was in flight when a consumer died
--- @key keys.deliveries    hash by digest: how often a delivery of a message failed
--- @key dead               list of messages given up
--- @arg text keys.pending  prefix of the hands
--- @arg digits own         id of the consumer that asks: it lives, whatever its lease says
--- @arg whole max_owners   most consumers to see to
--- @arg whole max_count    most messages to return
--- @arg whole max_deliveries so often a message is delivered before it is given up
--- @arg whole grace        seconds that the server must have been up, so that the living could renew their leases
--- @arg text service       who we are, for the details of the dead
--- @arg text metrics       prefix of the metrics' keys; empty: count nothing
--- @arg_rows gone_taker gone (text id, text process) consumers that are known to be dead, whatever their lease says
--- @returns whole ended    dead consumers that are forgotten now
--- @returns whole recovered messages returned
--- @returns whole buried   messages given up
--- @returns flag more      there is more to do
--- @returns texts trouble  what could not be done
--- @include count_metric
--- @include dead_consumers
--- @include dead_letter
--- @include may
--- @include return_held
--- @include server_time
--- @include sizes
local now = server_milliseconds()
local some = pending .. ':1' -- as every hand
local wrong = wrong_size('ZCARD', owners) or wrong_size('LLEN', source) or may_add_dead_letter(dead) or may('ZREM', owners, '')
    or may('ZADD', owners, '0', '') or may('SADD', suspects, '') or may('SREM', suspects, '') or may('EXPIRE', suspects, '1')
    or may('HSET', deliveries, '', '') or may('HDEL', deliveries, '') or may('EXPIRE', deliveries, '1')
    or may('LMOVE', some, source, 'LEFT', 'RIGHT') or may('LPOP', some) or may('LINDEX', some, '0') or may('DEL', some .. ':lease')
    or may('ZRANGE', owners, '0', '0') or #gone > 0 and (may('HGET', some .. ':lease', 'process') or may('ZSCORE', owners, ''))
if wrong then
    return wrong
end
local consumers, lapsed = dead_consumers(owners, pending, own, gone, max_owners, now, grace)
wrong = #consumers > 0 and (may('HGET', deliveries, '') or may('HGET', dead .. ':story', ''))
if wrong then
    return wrong
end
local work = {
    source = source, suspects = suspects, deliveries = deliveries, dead = dead, owners = owners, now = now,
    seconds = math.floor(now / 1000), service = service, max_count = max_count, max_deliveries = max_deliveries,
    ended = 0, recovered = 0, buried = 0, bytes = 0, trouble = {}
}
local looked = 0
for _, id in ipairs(consumers) do
    if is_enough(work) then
        break
    end
    if return_held(work, id, pending .. ':' .. id) then
        looked = looked + 1
    end
end
if metrics ~= '' then
    count_metric(metrics, 'recovered', work.recovered)
    count_metric(metrics, 'dead', work.buried)
end
return {work.ended, work.recovered, work.buried, (looked < #consumers or lapsed >= max_owners) and 1 or 0, work.trouble}
