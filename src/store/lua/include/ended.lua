--- @include numbers
-- For a while two bits tell how a message ended (1 done, 2 without, 3 given up), so that a report that comes after is counted for what
-- it is. The bits of a hundred thousand messages are one key. While the index of deadlines holds any, they are kept for an hour beyond
-- the last deadline: so long nobody may be there to look at it. After that, for `remember` seconds. `ended` is the set of these keys.
local ended_per_key = 100000
local ended_kept = 3600

local function ended_place(prefix, id)
    return prefix .. 'ended:' .. whole(math.floor(id / ended_per_key)), '#' .. whole(id % ended_per_key)
end

-- `bits` holds for each key the words that set its bits.
local function note_ended(bits, prefix, id, how)
    local key, bit = ended_place(prefix, tonumber(id))
    local words = bits[key] or {}
    bits[key] = words
    local at = #words
    words[at + 1], words[at + 2], words[at + 3], words[at + 4] = 'SET', 'u2', bit, how
end

local function write_ended(bits, prefix, seconds)
    for key, words in pairs(bits) do
        for at = 1, #words, 2000 do
            redis.pcall('BITFIELD', key, unpack(words, at, math.min(at + 1999, #words)))
        end
        if redis.call('TTL', key) < seconds then
            redis.pcall('EXPIRE', key, seconds)
            redis.pcall('SADD', prefix .. 'ended', key)
        end
    end
end

-- Nothing waits for its deadline any more.
local function forget_ended(prefix, remember)
    for _, key in ipairs(redis.pcall('SPOP', prefix .. 'ended', 1000)) do
        redis.pcall('EXPIRE', key, remember)
    end
end

-- How messages that are gone have ended, in order: 0 when nobody remembers.
local function how_ended(prefix, ids)
    local found, words, places = {}, {}, {}
    for i, id in ipairs(ids) do
        local key, bit = ended_place(prefix, id)
        local asked, at = words[key] or {}, places[key] or {}
        words[key], places[key] = asked, at
        local next = #asked
        asked[next + 1], asked[next + 2], asked[next + 3] = 'GET', 'u2', bit
        at[#at + 1] = i
    end
    for key, asked in pairs(words) do
        local answers = redis.pcall('BITFIELD_RO', key, unpack(asked))
        for n, i in ipairs(places[key]) do
            found[i] = not answers.err and answers[n] or 0
        end
    end
    return found
end
