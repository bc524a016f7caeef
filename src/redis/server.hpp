#pragma once

#include "base/log.hpp"
#include "base/stop_signal.hpp"
#include "redis/failure_policy.hpp"
#include "redis/link.hpp"
#include "redis/listener.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancel_after.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <string>

namespace leat::redis {

// One server as one loop sees it: the connection that calls go over, the one that listens for changes, and what to do
// when a call fails. A fault is logged once when it begins and once when it ends; a loop never ends without a word and
// never spins. Each loop has its own, so that its faults are its own; the connections are shared, and outlive it.
class server {
public:
    using clock = std::chrono::steady_clock;

    // `ears` may be null for who never listens. `stop` ends every wait. `what` says in the log what is waited with, for
    // loops that are not the service's main one; `quiet` as for `failure_policy`.
    server(
        link& calls, listener* ears, base::log_ptr log, base::stop_signal& stop, std::string what = {},
        clock::duration quiet = {});

    link& calls() const { return calls_; }
    listener& ears() const { return *ears_; }
    const url& where() const { return calls_.server(); }

    // Until there is a connection, or none can be had.
    boost::asio::awaitable<void> await_connection(clock::time_point latest = clock::time_point::max());
    // Waits as the class of the error demands, and looks the server up again where it may be another one. False:
    // nothing but a person helps; the reason has been logged.
    boost::asio::awaitable<bool> after(failure failed, clock::time_point latest = clock::time_point::max());
    // Likewise, but what only a person can mend is waited for, too.
    boost::asio::awaitable<void> wait_after(failure failed, clock::time_point latest = clock::time_point::max());
    // A call failed, and nobody waits for what mends it: it is only logged, and the name is looked up where it may lead
    // elsewhere.
    void failed(const failure& what);
    // Likewise, for a call beside a service's main work. False: it is no fault of this call alone, the main work meets
    // it, too, and sees to it.
    bool tolerates(const failure& what);
    // A call went well.
    void answered();
    // For calls that are refused while others go well: the fault is over when none has been refused for `quiet`, which
    // is longer than the pause between two tries. To be spawned at each refusal; one waits, the others return at once.
    boost::asio::awaitable<void> end_when_quiet(clock::duration quiet = std::chrono::seconds{2});
    // The two connections see different servers: whoever looked the name up last is right, and the other does it again.
    boost::asio::awaitable<void> meet();
    std::uint64_t failures() const { return policy_.failures(); }
    clock::time_point fault_over_at() const { return policy_.over_at(); }

    // Calls again and again until there is an answer, as long as `wanted` says that somebody waits for it, and until
    // `latest`; then the last failure comes back, and says that nobody knows when one of the calls may have been done.
    // What only a person can mend is waited for, too.
    template <class Answer>
    boost::asio::awaitable<result<Answer>> call_until_answered(
        std::function<boost::asio::awaitable<result<Answer>>()> call, std::function<bool()> wanted,
        clock::time_point latest = clock::time_point::max()) {
        bool unknown = false;
        for (;;) {
            auto answer = co_await call();
            if (answer) {
                answered();
                co_return answer;
            }
            auto failed = answer.error();
            unknown = unknown || failed.outcome_unknown;
            failed.outcome_unknown = unknown;
            if (calls_.ended()) {
                tell_end();
                co_return failed;
            }
            co_await wait_after(answer.error(), latest);
            if (!wanted() || stop_.requested() || clock::now() >= latest) {
                co_return failed;
            }
        }
    }

    // One call that is given up at `latest`, however silent the server is: then nobody knows what became of it, unless
    // it was too late from the beginning.
    template <class Answer>
    boost::asio::awaitable<result<Answer>> in_time(
        boost::asio::awaitable<result<Answer>> call, clock::time_point latest) {
        auto left = latest - clock::now();
        failure too_late{error_class::retry, "no answer in time from " + where().shown, false, calls_.connects()};
        if (left.count() <= 0) {
            co_return too_late;
        }
        auto token = boost::asio::cancel_after(left, boost::asio::as_tuple(boost::asio::use_awaitable));
        auto [thrown, answer] = co_await boost::asio::co_spawn(stop_.awake().executor(), std::move(call), token);
        if (!thrown) {
            co_return answer;
        }
        if (clock::now() < latest) {
            std::rethrow_exception(thrown);
        }
        too_late.outcome_unknown = true; // it was between two calls
        co_return too_late;
    }

private:
    boost::asio::awaitable<bool> wait(failure failed, bool patient, clock::time_point latest);
    void tell(failure_policy::reaction::says how, const failure& failed);
    void tell_end();
    bool is_of_this_connection(const failure& what) const;
    void look_up_again(std::uint64_t epoch);
    void align();

    link& calls_;
    listener* ears_;
    base::log_ptr log_;
    base::stop_signal& stop_;
    std::string what_;
    failure_policy policy_;
    bool awaits_quiet_ = false;
    std::uint64_t looked_up_ = 0;     // the connection that failed, when the name was last looked up
    std::uint64_t aligned_calls_ = 0; // connects() of the two when they were last known to belong together
    std::uint64_t aligned_ears_ = 0;
};

} // namespace leat::redis
