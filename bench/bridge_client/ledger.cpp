#include "ledger.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iostream>

namespace leat::bench {

void ledger::came(std::size_t message, clock::time_point when) {
    if (came_.size() <= message) {
        came_.resize(message + 1);
    }
    came_[message] = when;
}

void ledger::arrived(std::size_t message) {
    times_.push_back(milliseconds(clock::now() - came_.at(message)));
    auto request = request_of(message);
    auto place = request / conversations_ * replies_ + message % replies_;
    auto& before = arrived_of_[conversation_of(request)];
    if (before != place) {
        if (wrong_++ == 0) {
            std::fprintf(
                stderr, "bench: of a conversation %zu have arrived, and now comes %zu (message %zu)\n", before, place,
                message);
        }
    }
    ++before;
    ++total_arrived_;
}

bool is_one_of(std::size_t message, int percent) {
    return static_cast<int>((message * 2'654'435'761U >> 12) % 100) < percent;
}

double milliseconds(clock::duration passed) {
    return std::chrono::duration<double, std::milli>{passed}.count();
}

std::string percentiles(std::vector<double> seen) {
    std::ranges::sort(seen);
    auto at = [&seen](double part) {
        return seen.empty() ? 0.0 : seen[static_cast<std::size_t>(part * static_cast<double>(seen.size() - 1))];
    };
    return "\"count\": " + std::to_string(seen.size()) + ", \"p50\": " + std::to_string(at(0.5)) +
           ", \"p99\": " + std::to_string(at(0.99)) + ", \"max\": " + std::to_string(at(1));
}

void await_go() {
    std::puts("\"ready\"");
    std::fflush(stdout);
    std::string line;
    std::getline(std::cin, line);
}

void tell(const std::string& members) {
    std::printf("{%s}\n", members.c_str());
    std::fflush(stdout);
}

} // namespace leat::bench
