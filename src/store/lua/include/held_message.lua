-- Large messages are named by their SHA1 and size, so that they need not travel again: `<sha1>:<bytes>`, and `:<place>` behind it when
-- whoever names it knows the place from the oldest, 0, on. Returns place and text, or nothing. A place that is known costs one look;
-- else the hand is searched, and only what has the same size is compared.
local function find_held(hand, name)
    local digest, bytes, hint = string.match(name, '^(%x+):(%d+):?(%d*)$')
    bytes = tonumber(bytes)
    local function is_it(place)
        local message = digest and redis.call('LINDEX', hand, place)
        return message and #message == bytes and redis.sha1hex(message) == digest and message
    end
    local found = hint and hint ~= '' and is_it(-1 - tonumber(hint))
    if found then
        return -1 - tonumber(hint), found
    end
    local length = redis.call('LLEN', hand)
    for step = 0, math.ceil(length / 2) - 1 do -- what was not read is among the newest, what is done among the oldest
        for _, place in ipairs({step, -1 - step}) do
            found = is_it(place)
            if found then
                return place, found
            end
        end
    end
end
