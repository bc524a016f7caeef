#pragma once

#include "base/stop_signal.hpp"
#include "redis/server.hpp"
#include "store/scripts.hpp"

#include <boost/asio/awaitable.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace leat::runtime {

// What a service counts, and the times that it takes. Every second all of it is written to the service's namespace by
// one call: the total of each name, and beside it what this service has counted for each queue. A call that failed, or
// whose answer was lost, is made again under its number, and Redis does nothing for a number that it has done: no fault
// loses a count or counts twice, only a process that is killed, or stops while Redis is away, loses what was not
// written. Without a namespace it goes nowhere.
class metrics {
public:
    using clock = std::chrono::steady_clock;

    // Where a number belongs.
    enum class scope : std::uint8_t {
        both,
        total,   // of the namespace alone
        service, // of this service and queue alone: something else counts the total
    };

    // What is counted under one name.
    class series {
    public:
        void add(std::int64_t count = 1) { count_ += count; }
        void took(clock::duration time);
        // Also by tenths of the time that was allowed.
        void took(clock::duration time, std::chrono::milliseconds allowed);
        void last(std::string text) { last_ = std::move(text); }

    private:
        friend class metrics;
        bool empty() const { return count_ == 0; }
        store::added_metric as_row() const;

        std::int64_t count_ = 0;
        std::int64_t sum_ = 0; // milliseconds, of times
        std::int64_t longest_ = -1;
        std::array<std::int64_t, 17> bounds_{}; // how many were no longer than each of store::metric_bounds; longer
        std::array<std::int64_t, 11> tenths_{};
        std::string last_;
    };

    // That goes nowhere.
    explicit metrics(const boost::asio::any_io_executor& executor);
    metrics(
        const boost::asio::any_io_executor& executor, const std::string& name_space, std::string service,
        const std::function<redis::server(base::stop_signal& stop)>& server_of);

    // Stays where it is as long as this does.
    series& of(std::string_view name, std::string_view queue = {}, scope where = scope::both);
    void add(std::string_view name, std::int64_t count = 1, std::string_view queue = {}) { of(name, queue).add(count); }
    // Scripts count in the fields of a hash on this server: it is shown beside, as `<name><field>`, when the namespace
    // is there, too.
    void show(const redis::link& where, std::string name, std::string queue, std::string hash);

    // Writes until it is stopped, and then once more.
    boost::asio::awaitable<void> run();
    void stop() { stop_.request(); }

private:
    struct key {
        std::string name;
        std::string queue;
        scope where;
        auto operator<=>(const key&) const = default;
    };
    // Where it goes.
    struct target {
        redis::server server;
        store::add_metrics_call call; // its rows are what is to be written, or may have been
    };
    void gather(store::add_metrics_call& call);
    boost::asio::awaitable<void> write();

    base::stop_signal stop_;
    std::optional<target> target_;
    std::map<key, series> all_;
    std::vector<store::added_metric> hashes_; // to be shown
    bool hashes_are_known_ = false;
};

} // namespace leat::runtime
