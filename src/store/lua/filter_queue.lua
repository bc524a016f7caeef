#!lua flags=allow-oom
--- @doc Goes through the oldest messages of a list: moves, deletes, or sends each back to where it came from; or keeps it, at the other end. Each step is whole in itself.
--- @key list
--- @key story              hash by digest, of a list of the dead
--- @key target             list that moved messages go to; the list itself: nowhere
--- @arg text action        move, delete, or redrive: to the queue that its story names
--- @arg whole max_count    most messages to look at
--- @arg whole db           database of the list; a story may name another
--- @arg_rows chosen_message chosen (text digest, flag meant) by SHA1; who is not meant is kept, who is gone is passed over; none: all are meant
--- @returns whole looked   messages that were looked at, or passed over
--- @returns whole done     messages that were moved, deleted or sent back
--- @returns whole homeless messages that could not be sent back, and were kept
--- @returns whole left     messages still in the list
--- @returns whole gone     messages that somebody else took meanwhile
--- @returns texts reasons  why the first of the homeless was kept
--- @include limits
--- @include may
--- @include sizes
--- @include source_queue_of
--- @include forget_story
local length, wrong = list_length(list)
wrong = wrong or wrong_size('LLEN', target) or may('LMOVE', list, target, 'RIGHT', 'LEFT') or may('LMOVE', list, list, 'RIGHT', 'LEFT')
    or may('LINDEX', list, '-1') or may('EXISTS', story)
if action == 'delete' then
    wrong = wrong or may('RPOP', list)
end
local has_stories = redis.pcall('EXISTS', story) == 1
if has_stories then
    wrong = wrong or may('HGET', story, '') or may('HDEL', story, '') or may('HSET', story, '', '')
    if action == 'move' then
        wrong = wrong or may('HSETNX', target .. ':story', '', '')
    end
end
if wrong then
    return wrong
end
local looked, done, homeless, bytes, gone, reasons = 0, 0, 0, 0, 0, {}
local checked = {}

local function keep()
    redis.pcall('LMOVE', list, list, 'RIGHT', 'LEFT')
end

local function act(digest)
    local known = has_stories and read_story(story, digest) or nil
    if action == 'delete' then
        redis.pcall('RPOP', list)
    else
        local to, why_not = target, nil
        if action == 'redrive' and target == list then
            to, why_not = source_queue_of(known, list, db, checked)
        end
        if why_not then
            homeless = homeless + 1
            reasons[1] = reasons[1] or why_not
            return keep()
        end
        redis.pcall('LMOVE', list, to, 'RIGHT', 'LEFT')
        if action == 'move' and known then -- its story goes along
            local text = redis.pcall('HGET', story, digest)
            redis.pcall('HSETNX', target .. ':story', digest, text)
        end
    end
    forget_story(story, digest, known)
    done = done + 1
end

-- Whoever takes meanwhile takes the oldest: the next of ours is then further on.
local function find_verdict(digest)
    local at = looked + 1
    while chosen[2 * at - 1] and chosen[2 * at - 1] ~= digest do
        at = at + 1
    end
    return chosen[2 * at - 1] and at
end

local all_meant = #chosen == 0
local needs_digest = not all_meant or has_stories
local most = math.min(max_count, all_meant and length or #chosen / 2)
while looked < most and length - done > 0 and bytes < most_bytes do
    local message = redis.call('LINDEX', list, -1)
    if not message then
        break
    end
    local digest = needs_digest and redis.sha1hex(message)
    bytes = bytes + #message
    if all_meant then
        looked = looked + 1
        act(digest)
    else
        local at = find_verdict(digest)
        if not at then
            gone, looked = gone + most - looked, most
            break
        end
        gone, looked = gone + at - looked - 1, at
        if chosen[2 * at] == '1' then
            act(digest)
        else
            keep()
        end
    end
end
return {looked, done, homeless, length - done, gone, reasons}
