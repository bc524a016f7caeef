-- Redis does nothing else while a script runs: so many bytes are read or moved by a call, and the rest by the next.
local most_bytes = 1048576
