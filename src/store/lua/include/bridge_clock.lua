-- The server's clock, the same for the whole of a call.
local time = call('TIME')
local now_micros = time[1] * 1000000 + time[2]
local now = math.floor(now_micros / 1000)
local function digits(number)
    return string.format('%d', number)
end
local now_text = digits(now)
