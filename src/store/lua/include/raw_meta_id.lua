-- The text of `meta.id` in a JSON object that a parser has accepted, when it is a number: as a number it would lose digits.
-- Walks the members of the object, and of its last `meta`; strings and nested values are stepped over.
local function raw_meta_id(message)
    local find, sub = string.find, string.sub

    local function after_string(at) -- at: its opening quote
        local stop = find(message, '["\\]', at + 1)
        while stop and sub(message, stop, stop) == '\\' do
            stop = find(message, '["\\]', stop + 2)
        end
        return stop and stop + 1
    end

    local function after_value(at)
        local first = sub(message, at, at)
        if first == '"' then
            return after_string(at)
        elseif first ~= '{' and first ~= '[' then
            return find(message, '[,}%]%s]', at)
        end
        local depth = 0
        while at do
            at = find(message, '["{}%[%]]', at)
            local met = at and sub(message, at, at)
            if met == '"' then
                at = after_string(at)
            elseif met then
                depth = depth + ((met == '{' or met == '[') and 1 or -1)
                at = at + 1
                if depth == 0 then
                    return at
                end
            end
        end
    end

    -- Where the value of the last member of this name begins and ends.
    local function member(object, name)
        local from, to
        local at = find(message, '%S', object + 1)
        while at and sub(message, at, at) == '"' do
            local key_end = after_string(at)
            local key = key_end and sub(message, at, key_end - 1)
            local value = key and find(message, '%S', (find(message, ':', key_end, true) or #message) + 1)
            local stop = value and after_value(value)
            if not stop then
                return nil
            end
            if key == '"' .. name .. '"' or (find(key, '\\', 1, true) and cjson.decode(key) == name) then
                from, to = value, stop - 1
            end
            at = find(message, '[^%s,]', stop)
        end
        return from, to
    end

    local meta = member(find(message, '{', 1, true), 'meta')
    if not meta then
        return nil
    end
    local from, to = member(meta, 'id')
    return from and sub(message, from, to)
end
