#pragma once

#include "base/stop_signal.hpp"
#include "runtime/pauses.hpp"
#include "store/lease_token.hpp"
#include "taking/backlog.hpp"
#include "taking/hand.hpp"
#include "taking/verdict.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace leat::taking {

// What proves that a message is still ours: the lease that it was taken under. Whatever acts on a message outside
// `settle` compares its token in the same script.
using lease_proof = store::lease_token;
using lease_proof_ptr = std::shared_ptr<const lease_proof>;

// A message in hand, as a decision sees it.
struct taken {
    const std::string& message;
    std::int64_t delivery = 1; // 1 for the first delivery
    lease_proof_ptr lease;     // null in tests of a route only
};

// Gave a ticket away, and hears what is decided with it.
class ticket_owner {
public:
    virtual void decided(hand::entry which, verdict how) = 0;

protected:
    ~ticket_owner() = default;
};

// With this a message is decided that was not decided at once. `decide` is called once, however late; what it says is
// of no account when the message is another's by then.
class ticket {
public:
    ticket(ticket_owner& owner, hand::entry which)
        : owner_{&owner}
        , which_{which} {}
    void decide(verdict how) const;

private:
    ticket_owner* owner_;
    hand::entry which_;
};

// One of the two. At once or by the ticket: pure code, which must not take long; when `abandon` of the work is called,
// all tickets are to be decided soon. As a coroutine: up to `concurrency` at a time; when `abandoned` is requested it
// should end soon.
using decide = std::function<std::optional<verdict>(const taken& given, ticket later)>;
using decide_later = std::function<boost::asio::awaitable<verdict>(taken given, base::stop_signal& abandoned)>;

// What a kind brings to the second path of a message.
struct work {
    std::string in;
    std::string pending; // prefix of the keys beside it
    std::string dead;
    bool pushes = false;          // verdicts may push
    bool in_order = false;        // decisions begin in the order of the queue, whatever happens to the connection
    std::int64_t concurrency = 1; // most messages in hand
    std::int64_t max_deliveries = 5;
    std::size_t max_message_bytes = 64 << 20;   // of what is taken, and of what is pushed
    std::size_t max_bytes_in_flight = 64 << 20; // of messages, and of what is to be pushed for them
    std::chrono::seconds lease{30};
    std::chrono::seconds tick{10};    // longest time without a look at `in`
    std::chrono::seconds patience{1}; // how long decisions may go on after a stop; then they are to give up
    std::chrono::seconds allowed{0};  // for a decision; the metrics count tenths of it
    runtime::pauses pauses;
    taking::decide decide;
    // What becomes of a message that is too large to be taken or to be pushed for. Left out: it goes to `dead`.
    std::function<verdict(const std::string& message, const std::string& reason)> too_large;
    std::function<void()> abandon; // the messages are others' by now, or we are to stop
    decide_later later;
    taking::backlog* results = nullptr; // is told when too many of them wait to be acknowledged
};

} // namespace leat::taking
