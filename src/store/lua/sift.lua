#!lua
--- @doc Goes through the oldest messages of a list: moves, deletes, or sends each back to where it came from; or keeps it, at the other end. Each step is whole in itself.
--- @key list
--- @key story              hash by digest, of a list of the dead
--- @key target             list that moved messages go to; the list itself: nowhere
--- @arg text action        move, delete, or redrive: to the queue that its story names
--- @arg whole max_count    most messages to look at
--- @arg whole db           database of the list; a story may name another
--- @arg text verdicts      a letter for each message: y, n for those to keep; empty: all are meant
--- @args digests           SHA1 of each message that the verdicts are about; when another is there, this stops
--- @returns whole looked   messages that were looked at
--- @returns whole done     messages that were moved, deleted or sent back
--- @returns whole homeless messages that could not be sent back, and were kept
--- @returns whole left     messages still in the list
--- @returns whole changed  1: somebody else is at work on the list
--- @returns texts reasons  why the first of the homeless was kept
--- @include list_length
--- @include may
--- @include forget_story
local length, wrong = list_length(list)
local _, wrong_target = list_length(target)
wrong = wrong or wrong_target or may({{'LMOVE', list, target, 'RIGHT', 'LEFT'}, {'LMOVE', list, list, 'RIGHT', 'LEFT'}, {'RPOP', list}})
if not wrong and action == 'delete' and redis.pcall('EXISTS', story) == 1 then
    wrong = may({{'HDEL', story, ''}, {'HSET', story, '', ''}})
end
if wrong then
    return wrong
end
local stories = redis.pcall('HLEN', story)
stories = type(stories) == 'number' and stories or 0
local looked, done, homeless, bytes, changed, reasons = 0, 0, 0, 0, 0, {}

local function keep()
    redis.pcall('LMOVE', list, list, 'RIGHT', 'LEFT')
end

local usable = {} -- why not, by queue; false when it is
local function origin_of(known)
    local origin = known and known.origin
    if type(origin) ~= 'string' or origin == '' then
        return nil, 'nobody knows where it came from'
    end
    if known.server then
        return nil, 'its queue is on another server: ' .. tostring(known.server)
    end
    if known.db and known.db ~= db then
        return nil, 'its queue is in database ' .. tostring(known.db)
    end
    if origin == list then
        return nil, 'it came from this list itself'
    end
    if usable[origin] == nil then
        local _, wrong_origin = list_length(origin)
        wrong_origin = wrong_origin or may({{'LMOVE', list, origin, 'RIGHT', 'LEFT'}})
        usable[origin] = wrong_origin and wrong_origin.err or false
    end
    return origin, usable[origin]
end

local function act(digest)
    local known = stories > 0 and read_story(story, digest) or nil
    if action == 'delete' then
        redis.pcall('RPOP', list)
    else
        local to, why_not = target, nil
        if action == 'redrive' and target == list then
            to, why_not = origin_of(known)
        end
        if why_not then
            homeless = homeless + 1
            reasons[1] = reasons[1] or why_not
            return keep()
        end
        redis.pcall('LMOVE', list, to, 'RIGHT', 'LEFT')
    end
    forget_story(story, digest, known)
    done = done + 1
end

local needs_digest = verdicts ~= '' or stories > 0
while looked < math.min(length, max_count) and bytes < 4194304 do
    local message = redis.call('LINDEX', list, -1)
    local digest = needs_digest and redis.sha1hex(message)
    if verdicts ~= '' and digest ~= digests[looked + 1] then
        changed = 1
        break
    end
    looked, bytes = looked + 1, bytes + #message
    if verdicts == '' or string.sub(verdicts, looked, looked) == 'y' then
        act(digest)
    else
        keep()
    end
end
return {looked, done, homeless, length - done, changed, reasons}
