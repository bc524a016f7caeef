#pragma once

#include "taking/call_size.hpp"
#include "taking/hand.hpp"
#include "taking/size_bounds.hpp"
#include "taking/unread_messages.hpp"
#include "taking/work.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace leat::taking {

// Decides what an instance does next with its queue: takes messages, acknowledges what is decided of them, keeps its
// lease, finds out what became of a call whose answer was lost. Pure: the work loop carries out the actions, one at a
// time, and brings what came of each. An action that failed is decided anew.
class taker {
public:
    using clock = hand::clock;

    // `what` must outlive it.
    explicit taker(const work& what);

    // ---- what is next

    // How the connection is; `epoch` counts how often it was made.
    struct connection {
        std::uint64_t epoch = 0;
        bool up = false;
        bool ended = false; // there will be none any more
    };
    // When others are to be seen to, which agents of their own know: consumers that died, messages whose delay is over.
    struct errands {
        clock::time_point recover = clock::time_point::max();
        clock::time_point forward = clock::time_point::max();
    };
    enum class action : std::uint8_t {
        check,   // whether this server will do
        open,    // a lease
        look,    // at what is in flight: an answer was lost, or the connection
        recover, // what dead consumers had in flight
        forward, // messages whose delay is over
        begin,   // with a message that waited for an unread one
        fetch,   // an unread message
        bury,    // an unread message that cannot be read
        take,    // up to `most` messages, by a call that a full Redis refuses
        renew,   // the lease, which is due, by a settlement of nothing; take up to `most` messages
        settle,  // acknowledge what is chosen, if anything, renew the lease, take up to `most` messages
        rest,    // until something happens, or `until`
        end,     // it was asked to stop, and nothing more can be done
    };
    struct step {
        action is = action::end;
        std::int64_t most = 0;
        clock::time_point until = clock::time_point::max();
        bool listens = false; // a rest ends when there are messages
    };
    step next(const connection& at, const errands& others, clock::time_point now);

    // ---- what happened

    void checked() { checked_ = true; }
    void opened(std::int64_t id, lease_proof_ptr lease, std::uint64_t epoch, clock::time_point now);
    // The lease is another's, or gone. How many messages in flight went with it.
    std::size_t lost_lease();

    struct in_flight {
        std::vector<hand::seen> messages; // oldest first
        std::int64_t fence = 0;           // no call with this number, or a smaller one, counts any more
        std::int64_t last = 0;            // the last call that was done
    };
    struct looked_at {
        std::optional<std::size_t> given_up; // bytes of a result that was given up, because it cost the connection
    };
    looked_at looked(in_flight seen, std::uint64_t epoch, clock::time_point now);
    void look_failed(bool answer_lost, clock::time_point now);

    struct answer {
        bool in_turn = true; // false: it was not the next call, and nothing was done
        std::int64_t left = 0;
        std::int64_t largest = 0;
        bool waits = false; // what is next, or in flight, must be alone
        std::int64_t missing = 0;
        bool source_wrong = false;        // nothing can be taken from it; a call that only takes says why
        clock::time_point sent;           // when the call began
        clock::time_point came;           // when it was answered
        std::vector<hand::seen> messages; // that were taken, oldest first
    };
    struct counts {
        std::int64_t done = 0;
        std::int64_t retry = 0;
        std::int64_t dead = 0;
    };
    void took(answer given, std::int64_t most);
    counts settled(answer given, std::int64_t most); // what was acknowledged by it
    enum class loss : std::uint8_t { refused, refused_by_full_server, answer_lost };
    // `reached`: the server has answered.
    void take_failed(loss how, clock::time_point now);
    void settle_failed(loss how, bool reached, std::int64_t most, clock::time_point now);

    void fetched(std::optional<std::string> message, clock::time_point now); // nothing: it is not there any more
    void fetch_failed(bool answer_lost, clock::time_point now) { unread_.failed(answer_lost, now); }
    void buried() { unread_.take_first(); }
    void begin_waiting(clock::time_point now) { begin(unread_.take_first(), now); }
    void recovered(bool any) { wants_ = wants_ || any; }
    void forwarded(bool any) { wants_ = wants_ || any; }
    void rested(bool listened) { wants_ = wants_ || listened; }
    void stop(clock::time_point now);

    // ---- messages

    // Newly in flight: of each it is asked `starts`, in this order, and then its decision begins.
    std::vector<hand::entry> take_begun();
    // False: what becomes of it is decided already.
    bool starts(hand::entry which);
    void decide(hand::entry which, verdict how);
    // It waits for others, so that it has done its worst.
    void has_begun(hand::entry which);

    // ---- what is known

    const hand& held() const { return hand_; }
    const hand::choice& chosen() const { return chosen_; } // for the call that is under way
    const hand::seen& unread() const { return unread_.first(); }
    std::int64_t id() const { return id_; }
    const lease_proof_ptr& lease() const { return lease_; }
    std::int64_t next_call() const { return call_ + 1; }
    std::size_t call_bytes() const { return taken_.limit(); }
    std::int64_t largest() const { return largest_; }
    const std::string& cleared_suspect() const { return cleared_suspect_; }
    std::int64_t max_suspect_failures() const;
    std::int64_t patience_with_losses() const;
    const counts& totals() const { return totals_; }
    bool is_over(const connection& at, clock::time_point now) const;
    bool can_acknowledge() const { return hand_.decided() > (unread_.holds_up_others() ? hand_.going_back() : 0); }
    // Results that come now would only add to what cannot be acknowledged as fast.
    bool is_overfull() const {
        return hand_.decided() > 0 && hand_.undecided() > 0 && hand_.bytes() >= work_.max_bytes_in_flight;
    }
    bool is_closed(clock::time_point now) const { return now < closed_until_; } // Redis is full
    bool is_out_of_patience(clock::time_point now) const { return stopped_at_ && now >= *stopped_at_ + work_.patience; }

private:
    bool may_take(clock::time_point now) const;
    bool is_blocked(std::size_t gone = 0) const;
    std::int64_t room(std::size_t gone = 0) const;
    bool would_take(clock::time_point now) const { return may_take(now) && !is_blocked() && room() > 0; }
    bool is_call_due(clock::time_point now) const;
    bool is_turn_of_others(const errands& others, clock::time_point now);
    std::optional<step> errand(const errands& others, clock::time_point now);
    step call(clock::time_point now);
    step rest(const errands& others, clock::time_point now) const;
    void begin(hand::seen&& one, clock::time_point now);
    counts count_chosen();
    std::optional<std::size_t> give_up_what_costs_connections();
    void lost_a_call(bool takes, clock::time_point now);
    void call_answered(answer& given, std::int64_t most);
    void call_failed(loss how, clock::time_point now);

    const work& work_;
    size_bounds bounds_;
    hand hand_;
    unread_messages unread_;
    std::vector<hand::entry> begun_;

    // The lease, and its calls.
    bool checked_ = false;
    std::int64_t id_ = 0; // 0: there is no lease
    lease_proof_ptr lease_;
    std::int64_t call_ = 0; // number of the last one that is known to be done
    hand::choice chosen_;
    bool uncertain_ = false; // nobody knows whether the last call was done
    bool hold_back_ = false; // Redis refused to acknowledge: the lease is renewed without
    std::uint64_t epoch_ = 0;
    clock::time_point renew_at_;

    // Taking.
    call_size settled_;
    call_size taken_;
    bool wants_ = true;           // there may be something to take
    bool waits_ = false;          // what is next, or in flight, must be alone
    std::int64_t in_vain_ = 0;    // what a call wanted to take that found the source wrong
    std::string cleared_suspect_; // digest of a suspect in flight that has begun
    std::int64_t largest_ = 0;
    clock::time_point took_at_;                     // by a call that a full Redis would have refused
    clock::time_point closed_until_;                // Redis is full
    std::optional<clock::time_point> others_since_; // recovery is under way, without a turn of work
    std::optional<clock::time_point> stopped_at_;
    counts totals_;
};

} // namespace leat::taking
