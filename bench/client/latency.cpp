#include "connection.hpp"
#include "modes.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace leat::bench {

using std::chrono::steady_clock;

void measure_latency(const words& given) {
    auto began = steady_clock::now();
    auto micros = [began] {
        return std::chrono::duration_cast<std::chrono::microseconds>(steady_clock::now() - began).count();
    };
    std::thread producer{[&] {
        connection server{given.port};
        for (int i = 0; i < given.count; ++i) {
            std::this_thread::sleep_until(began + i * std::chrono::microseconds{1'000'000 / given.rate});
            server.call({"LPUSH", given.in, std::to_string(micros())});
        }
    }};
    connection server{given.port};
    std::vector<long long> seen;
    while (seen.size() < static_cast<std::size_t>(given.count)) {
        auto taken = server.call({"BRPOP", given.outs.back(), "10"});
        if (taken->type != REDIS_REPLY_ARRAY) {
            throw std::runtime_error{"a message did not arrive within 10 s"};
        }
        seen.push_back(micros() - std::atoll(taken->element[1]->str));
    }
    producer.join();
    seen.erase(seen.begin(), seen.begin() + given.count / 20); // while caches and branch predictors wake up
    std::ranges::sort(seen);
    auto at = [&seen](double part) {
        return seen[static_cast<std::size_t>(part * static_cast<double>(seen.size() - 1))];
    };
    std::printf(
        "{\"p50\": %lld, \"p90\": %lld, \"p99\": %lld, \"max\": %lld}\n", at(0.5), at(0.9), at(0.99), seen.back());
}

} // namespace leat::bench
