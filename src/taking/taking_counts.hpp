#pragma once

#include "runtime/service.hpp"
#include "taking/taker.hpp"
#include "taking/work_loop.hpp"

namespace leat::taking {

// What an instance counts, and under which name: for the metrics of its namespace, and for the last line of its log.
// The scripts count the totals along where they can.
class taking_counts {
public:
    taking_counts(
        const runtime::context& given, std::string in, const redis::link& calls,
        std::optional<name_space_home> name_space);

    void registered(std::int64_t id) { service_id_ = id; }
    // Who we are, for the story of the dead.
    std::string service() const;
    // The prefix of the metrics' keys when the scripts that settle can count along; else empty.
    std::string metrics_here() const { return is_here_ ? metrics_ : ""; }
    const std::string& messages() const { return messages_; } // the prefix of their keys
    const std::string& reports() const { return home_.reports; }

    // How long it took until what is done was settled.
    void took(const hand::choice& settled, taker::clock::time_point sent);
    void settled(const taker::counts& seen);
    void recovered(std::int64_t returned, std::int64_t buried);
    void failed(); // a call
    void log_end(spdlog::logger& log, const taker::counts& totals, std::uint64_t failures) const;

private:
    void count(std::string_view name, std::int64_t number);

    runtime::metrics& all_;
    std::string in_;
    std::string name_;
    name_space_home home_;
    std::int64_t service_id_ = 0;
    bool is_here_ = false; // the namespace's keys are on the server of the queues
    std::string metrics_;
    std::string messages_;
    runtime::metrics::series& settled_; // with the times
    std::int64_t recovered_ = 0;
    std::int64_t buried_ = 0; // by recovery, or unseen
};

} // namespace leat::taking
