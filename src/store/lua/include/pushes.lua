-- The words of a call, read one after the other from behind the first `count` on.
local function begin_words(list, count)
    return {list = list, at = count}
end

local function next_word(words)
    words.at = words.at + 1
    return words.list[words.at]
end

-- What settled messages push to `outs`. What goes to one list in a row is pushed by one command. `named` has a letter for each out,
-- `closed` says of those that nothing can be pushed to why.
local function begin_pushes(outs, named, closed)
    local kinds = {}
    for i = 1, #outs do
        kinds[i] = string.sub(named, i, i)
    end
    return {outs = outs, kinds = kinds, closed = closed, to = '', run = {}, word = nil, whole_to = nil}
end

local function flush(pushes)
    if #pushes.run > 0 then
        redis.pcall('LPUSH', pushes.to, unpack(pushes.run))
        pushes.run = {}
    end
end

-- `text` is SECONDS:VALUE; with negative seconds a key of this value is deleted, of any for *.
local function set_key(key, text)
    local seconds, value = string.match(text, '^(%-?%d+):(.*)$')
    if tonumber(seconds) > 0 then
        redis.pcall('SET', key, value, 'EX', seconds)
    elseif value == '*' or redis.pcall('GET', key) == value then
        redis.pcall('UNLINK', key)
    end
end

local function push_one(pushes, number, text)
    local to, run = pushes.outs[number], pushes.run
    if pushes.kinds[number] == 'k' then
        flush(pushes)
        return set_key(to, text)
    end
    if to ~= pushes.to or #run == 500 then
        flush(pushes)
        pushes.to, run = to, pushes.run
    end
    run[#run + 1] = text
end

-- Reads the pushes of a message: their number, and for each the number of the out and the text, or =NUMBER when the message itself
-- goes to one out. They are done when it was held. Returns nil, or why none was.
local function push(pushes, words, message, is_held)
    local list, at = words.list, words.at + 1
    local word = list[at]
    if word ~= pushes.word then -- mostly the same as of the message before
        pushes.word, pushes.whole_to = word, tonumber(string.match(word, '^=(%d+)$'))
    end
    local number = pushes.whole_to
    if number then
        words.at = at
        local refused = pushes.closed[pushes.outs[number]]
        if is_held and not refused then
            push_one(pushes, number, message)
        end
        return refused
    end
    local last = at + 2 * tonumber(list[at])
    words.at = last
    for i = at + 1, last, 2 do
        local refused = pushes.closed[pushes.outs[tonumber(list[i])]]
        if refused then
            return refused
        end
    end
    for i = at + 1, is_held and last or 0, 2 do
        push_one(pushes, tonumber(list[i]), list[i + 1])
    end
end
