// A client with nothing in it that could be slow: the limit that leat is measured against, and the clock.
//
//   bench_client MODE --port N --in LIST --out LIST... [--batch N] [--depth N] [--count N] [--file LUA]
#include "modes.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>

int main(int argc, char** argv) {
    using namespace leat::bench;
    const std::map<std::string, void (*)(const words&)> modes{
        {"script", &run_script},       {"tracked", &run_tracked}, {"complete", &run_complete},
        {"file", &run_file},           {"moves", &run_moves},     {"sequential", &run_sequential},
        {"latency", &measure_latency}, {"settle", &run_settle},   {"ask", &measure_asking},
        {"answer", &run_answer}};
    words given;
    const std::map<std::string, int*> numbers{{"--port", &given.port},   {"--batch", &given.batch},
                                              {"--depth", &given.depth}, {"--count", &given.count},
                                              {"--held", &given.held},   {"--rate", &given.rate}};
    auto mode = modes.find(argc > 1 ? argv[1] : "");
    if (mode == modes.end()) {
        std::fputs("usage: bench_client", stderr);
        for (const auto& [name, run] : modes) {
            std::fprintf(stderr, "%c%s", name == modes.begin()->first ? ' ' : '|', name.c_str());
        }
        std::fputs(" --port N --in LIST --out LIST ...\n", stderr);
        return 2;
    }
    for (int i = 2; i + 1 < argc; i += 2) {
        std::string name = argv[i];
        if (name == "--in") {
            given.in = argv[i + 1];
        } else if (name == "--out") {
            given.outs.emplace_back(argv[i + 1]);
        } else if (name == "--file") {
            given.file = argv[i + 1];
        } else if (numbers.contains(name)) {
            *numbers.at(name) = std::atoi(argv[i + 1]);
        }
    }
    try {
        mode->second(given);
    } catch (const std::exception& reason) {
        std::fprintf(stderr, "bench_client: %s\n", reason.what());
        return 1;
    }
}
