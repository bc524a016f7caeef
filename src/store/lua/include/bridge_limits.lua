-- Redis does nothing else while a script runs. So a call of a bridge counts what it does, in `spent`, about ten microseconds each, and
-- leaves the rest for the next call when that is enough.
local enough = 300
