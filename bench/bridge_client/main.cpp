// What stands around a bridge: a program with one inside, the load of one that runs, its limit, and clocks for its
// dates.
//
//   bench_bridge_client MODE --port N [--NAME N]...
#include "modes.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>

int main(int argc, char** argv) {
    using namespace leat::bench;
    const std::map<std::string, void (*)(const words&)> modes{
        {"library", &measure_library},
        {"service", &measure_service},
        {"script", &measure_limit},
        {"expiry", &measure_expiry},
        {"backoff", &measure_backoff},
        {"take-over", &measure_take_over},
        {"hold", &hold},
        {"block", &block}};
    words given;
    const std::map<std::string, int*> numbers{
        {"--port", &given.port},
        {"--conversations", &given.conversations},
        {"--replies", &given.replies},
        {"--ack", &given.ack},
        {"--size", &given.size},
        {"--errors", &given.errors},
        {"--in-flight", &given.in_flight},
        {"--time", &given.time},
        {"--warm", &given.warm},
        {"--rate", &given.rate},
        {"--busy", &given.busy},
        {"--count", &given.count},
        {"--backoff", &given.backoff},
        {"--ttl", &given.ttl},
        {"--dedup", &given.dedup},
        {"--lease", &given.lease},
        {"--concurrent", &given.concurrent},
        {"--factor", &given.factor},
        {"--by-turn", &given.by_turn},
        {"--wait", &given.wait}};
    auto mode = modes.find(argc > 1 ? argv[1] : "");
    bool known = mode != modes.end() && argc % 2 == 0;
    for (int i = 2; known && i < argc; i += 2) {
        auto number = numbers.find(argv[i]);
        known = number != numbers.end();
        if (known) {
            *number->second = std::atoi(argv[i + 1]);
        }
    }
    if (!known) {
        std::fputs("usage: bench_bridge_client MODE --port N [--NAME N]...; modes:", stderr);
        for (const auto& [name, run] : modes) {
            std::fprintf(stderr, " %s", name.c_str());
        }
        std::fputs("\n", stderr);
        return 2;
    }
    try {
        mode->second(given);
    } catch (const std::exception& reason) {
        std::fprintf(stderr, "bench_bridge_client: %s\n", reason.what());
        return 1;
    }
}
