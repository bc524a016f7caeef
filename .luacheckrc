-- Scripts run in Redis, which lends them this.
std = "lua51"
read_globals = {"redis", "cjson", "cmsgpack", "bit", "KEYS", "ARGV"}
max_line_length = false -- a comment beside a word may be long
