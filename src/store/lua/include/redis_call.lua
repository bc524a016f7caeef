-- A global would be looked up at every use.
local call = redis.call
