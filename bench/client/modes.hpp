#pragma once

#include <string>
#include <vector>

namespace leat::bench {

struct words {
    int port = 6379;
    std::string in = "in";
    std::vector<std::string> outs;
    int batch = 1000;
    int depth = 1; // calls in flight
    int count = 2000;
    int held = 0; // messages that are taken and never settled
    int rate = 200;
    std::string file; // of a script
};

// Each loops until it is killed. When `in` is empty it looks again after a millisecond.
void run_script(const words& given);     // leat's own transfer script
void run_tracked(const words& given);    // leat's own transfer_tracked, in the namespace ns, with room for all
void run_complete(const words& given);   // leat's own complete, of the same
void run_file(const words& given);       // a script of a file: KEYS the source and the outs, ARGV the batch
void run_moves(const words& given);      // RPOP count, variadic LPUSH: no Lua, and what is in hand is lost in a crash
void run_sequential(const words& given); // BRPOPLPUSH, then MULTI LPUSH ... LREM EXEC: the documented algorithm
void run_settle(const words& given);     // leat's own settle, of all that it took, `batch` at a time, into every out
void run_answer(const words& given);     // a worker of mdispatch that takes up to `batch` requests of `in` at a time

// Pushes `count` messages at `rate` per second, waits for each at the last out; prints percentiles as JSON.
void measure_latency(const words& given);
// Keeps `batch` requests to mdispatch open for some seconds; talks to the harness as bench/mpush/node/go.js does.
void measure_asking(const words& given);

} // namespace leat::bench
