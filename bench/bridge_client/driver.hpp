#pragma once

#include "instance.hpp"
#include "ledger.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace leat::bench {

// Requests, their replies and the sends, all in this process: so many requests open at a time, or so many a second.
class driver {
public:
    explicit driver(const words& given);
    void run(std::function<boost::asio::awaitable<void>()> main) { inside_.run(std::move(main)); }

    // Gives requests for so long, and waits until all that was given is sent and written down. Seconds.
    boost::asio::awaitable<double> give(std::chrono::milliseconds length);

    ledger& seen() { return seen_; }
    void clear();
    // Milliseconds from an acknowledgement to the send of the next reply.
    const std::vector<double>& after_acks() const { return after_acks_; }

private:
    boost::asio::awaitable<bridge::send_outcome> send(store::bridge_claim what);
    boost::asio::awaitable<void> exchange(std::size_t request);
    boost::asio::awaitable<void> respond(std::string request_id, std::size_t request, std::size_t message);
    boost::asio::awaitable<void> acknowledge(std::string name, std::size_t message);
    boost::asio::awaitable<void> give_by_rate(clock::time_point end);
    void give_more();
    void ended(std::size_t message);
    bridge::memory_queue_manager::tasks tasks();

    words given_;
    ledger seen_;
    std::vector<std::string> conversations_;
    clock::time_point end_;
    int open_ = 0;                       // requests that were given and not answered to their end
    std::vector<int> left_;              // replies of each request
    std::vector<clock::time_point> ack_; // when each message was acknowledged
    std::vector<double> after_acks_;
    instance inside_;
};

} // namespace leat::bench
