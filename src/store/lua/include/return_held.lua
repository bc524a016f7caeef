--- @include dead_letter
--- @include failures
--- @include limits
--- @include numbers
--- @include sizes
-- Returns what was in flight when a consumer died to the right end of its queue. `work` holds source, suspects, deliveries, dead, owners;
-- now and seconds, service, max_count, max_deliveries. It gathers ended, recovered, buried, bytes, trouble.
local function is_enough(work)
    return work.recovered + work.buried >= work.max_count or work.bytes >= most_bytes
end

-- `noted` are the failures of messages of this hand, by digest: equal messages in one hand have failed once.
local function return_message(work, message, hand, noted)
    local digest = redis.sha1hex(message)
    local known = noted[digest] or note_failure(work.deliveries, digest, work.seconds, 'its taker died')
    noted[digest] = known
    local details = {
        reason = 'its taker died', attempts = known.deliveries, times = known.times, died = work.seconds, origin = work.source,
        service = work.service
    }
    if known.deliveries >= work.max_deliveries and not add_dead_letter(work.dead, message, details) then
        redis.pcall('HDEL', work.deliveries, digest)
        redis.pcall('SREM', work.suspects, digest)
        redis.pcall('LPOP', hand)
        work.buried = work.buried + 1
    else
        redis.pcall('SADD', work.suspects, digest)
        redis.pcall('EXPIRE', work.suspects, 3600)
        redis.pcall('LMOVE', hand, work.source, 'LEFT', 'RIGHT')
        work.recovered = work.recovered + 1
    end
    work.bytes = work.bytes + #message
end

-- Returns whether this consumer is seen to for now; else the next call goes on.
local function return_held(work, id, hand)
    redis.pcall('DEL', hand .. ':lease') -- it may still live, but it may not settle any more
    local length, wrong = list_length(hand)
    if wrong then
        work.trouble[#work.trouble + 1] = wrong.err
        redis.pcall('ZADD', work.owners, whole(work.now + 60000), id)
        return true
    end
    local noted = {}
    while length > 0 and not is_enough(work) do
        return_message(work, redis.call('LINDEX', hand, 0), hand, noted)
        length = length - 1
    end
    if length > 0 then
        redis.pcall('ZADD', work.owners, whole(work.now), id)
        return false
    end
    redis.pcall('ZREM', work.owners, id)
    work.ended = work.ended + 1
    return true
end
