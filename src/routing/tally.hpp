#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace leat::routing {

// What processors count, until it is written to the metrics.
class tally {
public:
    struct counted {
        std::int64_t count = 0;
        std::int64_t sum = 0; // milliseconds, of times
        std::int64_t max = 0;
        bool is_time = false;
        std::array<std::int64_t, 11> tenths{}; // of what is allowed
    };

    void add(std::string_view name, std::int64_t count = 1);
    void add_time(std::string_view name, std::chrono::steady_clock::duration took, std::chrono::milliseconds allowed);

    bool empty() const { return all_.empty(); }
    // All of it, and begins anew.
    std::map<std::string, counted, std::less<>> take() { return std::exchange(all_, {}); }
    // What could not be written.
    void give_back(const std::string& name, const counted& held);
    const std::map<std::string, counted, std::less<>>& all() const { return all_; }

private:
    counted& at(std::string_view name);

    std::map<std::string, counted, std::less<>> all_;
};

} // namespace leat::routing
