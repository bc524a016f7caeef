--- @include limits
--- @include numbers
--- @include time_out_message
-- Most messages of a run of ids have usually ended long ago, which one command tells. Returns how far it came. `work` as for
-- time_out_message.
local function time_out_run(work, first, last)
    local at = first
    while at <= last and work.bytes < most_bytes do
        local numbers, keys = {}, {}
        for id = at, math.min(last, at + 249) do
            numbers[#numbers + 1], keys[#keys + 1] = id, work.prefix .. whole(id)
        end
        if redis.call('EXISTS', unpack(keys)) == 0 then
            meet_missing(work, numbers)
            at = at + #numbers
        else
            for _, id in ipairs(numbers) do
                if work.bytes < most_bytes then
                    time_out_message(work, whole(id))
                    at = id + 1
                end
            end
        end
    end
    return at
end
