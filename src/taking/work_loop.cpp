#include "taking/work_loop.hpp"

#include "base/point.hpp"
#include "base/process_identity.hpp"
#include "base/random_name.hpp"
#include "base/task_group.hpp"
#include "redis/digest.hpp"
#include "runtime/queue_wait.hpp"
#include "runtime/server_check.hpp"
#include "store/keys.hpp"
#include "store/messages.hpp"
#include "store/taking.hpp"
#include "taking/call_size.hpp"
#include "taking/dead_takers.hpp"
#include "taking/hand.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <limits>
#include <random>
#include <unordered_map>

namespace leat::taking {
namespace {

using boost::asio::awaitable;
using runtime::exit_code;
using clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr std::size_t most_settled = 1000;          // by one call
constexpr std::size_t most_settled_bytes = 4 << 20; // likewise, but for a single huge one
constexpr std::int64_t most_taken = 1000;           // likewise
constexpr std::size_t most_bytes = 1 << 20;         // likewise, but for a single huge message

std::string host_name() {
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

class loop final : public work_loop {
public:
    loop(const runtime::context& given, const redis::url& server, std::optional<name_space_place> name_space, work what)
        : context_{given}
        , work_{std::move(what)}
        , keys_{work_.pending}
        , stop_{given.executor}
        , server_{given.redis.server_of(server, given.client_name, given.log, stop_)}
        , give_up_{std::make_shared<base::stop_signal>(given.executor)}
        , decisions_{given.executor, given.log}
        , beside_{given.executor, given.log}
        , in_{server_.ears(), work_.in, stop_, work_.tick}
        , dead_takers_{server_.calls(), work_, given.log} {
        if (name_space) {
            service_link_ = &given.redis.link_of(name_space->server, given.client_name, given.log);
            metrics_ = store::message_keys{name_space->name_space}.metrics();
            messages_ = store::message_keys{name_space->name_space}.prefix();
            reports_ = name_space->reports;
            service_ = name_space->name_space;
        }
    }

    awaitable<exit_code> run() override {
        co_await server_.await_connection();
        auto ended = exit_code::asked;
        while (ended == exit_code::asked && !is_over()) {
            ended = co_await step();
        }
        give_up(); // what still runs is another's, or nobody's any more
        co_await decisions_.wait();
        while (hand_.undecided() > 0 && work_.decide) {
            co_await stop_.awake().wait_for(1s);
        }
        co_await leave();
        co_await beside_.wait();
        context_.log->info(
            "ended done={} failed={} dead={} recovered={} failures={}", done_, failed_, dead_, recovered_,
            server_.failures());
        co_return ended;
    }

    void stop() override {
        stop_.request();
        server_.calls().changed().notify_all();
        stopped_at_ = clock::now();
    }

    void registered(std::int64_t id) override { service_id_ = id; }

private:
    bool is_over() const {
        bool refused = hold_back_ && clock::now() > stopped_at_ + work_.patience; // what is done cannot be written down
        return stop_.requested() && ((hand_.empty() && !uncertain_) || server_.calls().ended() || refused);
    }

    // One call, and before it whatever makes it possible; or a wait for a reason to make one.
    awaitable<exit_code> step() {
        if (!checked_) {
            auto checked = co_await runtime::check_server(server_.calls(), context_.log);
            if (!checked && checked.error().kind == redis::error_class::stop) {
                co_return co_await give_up_or_wait(checked.error());
            }
            checked_ = server_.calls().connected();
        }
        if (id_ == 0) {
            co_return co_await enter();
        }
        if (uncertain_ || server_.calls().connects() != seen_connects_) {
            co_return co_await resume();
        }
        if (clock::now() >= renew_at_) { // first of all, lest others take us for dead
            co_return co_await call();
        }
        bool is_forward_due = clock::now() >= forward_at_ && !stop_.requested();
        // Recovered messages go before later ones, so recovery comes first; when it takes long, other work has its
        // turn.
        bool is_turn_of_work =
            saw_to_the_dead_ && clock::now() - *saw_to_the_dead_ >= 200ms && (is_forward_due || is_call_due());
        if (clock::now() >= dead_takers_.due() && !stop_.requested() && !is_turn_of_work) {
            co_return co_await see_to_the_dead();
        }
        saw_to_the_dead_.reset();
        if (is_forward_due) {
            co_return co_await forward();
        }
        if (!unread_.empty() && clock::now() >= fetch_at_ && !stop_.requested()) {
            co_return co_await fetch();
        }
        if (is_call_due()) {
            co_return co_await call();
        }
        co_await rest();
        if (server_.ears().connection().refused()) {
            co_return co_await give_up_or_wait(*server_.ears().connection().refused());
        }
        co_return exit_code::asked;
    }

    // ---- the lease

    awaitable<exit_code> enter() {
        token_ = base::random_name(32);
        store::scripts::open_lease_call given{
            .counter = keys_.counter(),
            .owners = keys_.owners(),
            .pending = work_.pending,
            .token = token_,
            .lease_time = lease_time(),
            .host = host_name(),
            .pid = std::to_string(::getpid()),
            .name = context_.name,
            .source = work_.in,
            .process = base::process_identity()};
        auto opened = co_await store::open_lease(server_.calls(), std::move(given));
        if (!opened) {
            co_return co_await give_up_or_wait(opened.error());
        }
        id_ = opened->id;
        lease_ = std::make_shared<lease_proof>(keys_.lease(id_), token_);
        call_ = 0;
        seen_connects_ = server_.calls().connects();
        renew_at_ = clock::now() + renewal();
        dead_takers_.begin();
        wants_ = true;
        context_.log->info("taking in={} hand={} concurrency={}", work_.in, keys_.hand(id_), work_.concurrency);
        co_return exit_code::asked;
    }

    // After a lost answer or a reconnect: what does the server say is in our hand?
    awaitable<exit_code> resume() {
        auto connects = server_.calls().connects();
        std::vector<hand::seen> there; // newest first
        std::int64_t fence = 0;        // no call of the lost connection counts any more
        std::int64_t last = 0;         // the last call that was done
        for (;;) {
            store::scripts::read_hand_call given{
                .hand = keys_.hand(id_),
                .lease = keys_.lease(id_),
                .deliveries = keys_.deliveries(),
                .token = token_,
                .first = static_cast<std::int64_t>(there.size()),
                .max_count = 1000,
                .max_bytes = static_cast<std::int64_t>(taken_.limit()),
                .shy = store::large_message};
            auto read = co_await store::read_hand(server_.calls(), std::move(given));
            if (!read) {
                if (read.error().outcome_unknown) {
                    taken_.lost(taken_.limit(), clock::now());
                }
                co_return co_await give_up_or_wait(read.error());
            }
            if (read->state != 0) {
                lose_lease();
                co_return exit_code::asked;
            }
            fence = read->call;
            last = read->last;
            auto& words = read->messages;
            for (std::size_t i = 0; i + 3 <= words.size(); i += 3) {
                there.push_back({std::move(words[i]), std::atoll(words[i + 1].c_str()), std::move(words[i + 2])});
            }
            if (read->messages.empty() || static_cast<std::int64_t>(there.size()) >= read->length) {
                break;
            }
        }
        if (uncertain_ && last == call_ + 1) {
            count_settled(under_way_); // it was done, only its answer was lost
            hand_.settled(under_way_);
        } else if (uncertain_) {
            give_up_what_costs_connections();
        }
        call_ = fence;
        uncertain_ = false;
        under_way_ = {};
        seen_connects_ = connects;
        std::ranges::reverse(there);
        unread_.clear();
        fetch_at_ = clock::now() + 100ms; // the others first: it may cost the connection
        for (auto& each : hand_.reconcile(std::move(there))) {
            bool is_overtaking = work_.in_order && !unread_.empty();
            if (each.name.empty() && !is_overtaking) {
                begin(std::move(each.message), each.failures + 1);
            } else {
                unread_.push_back(std::move(each));
            }
        }
        std::erase_if(lost_fetches_, [this](const auto& each) {
            return std::ranges::find(unread_, each.first, &hand::seen::name) == unread_.end();
        });
        wants_ = true;
        server_.answered();
        co_return exit_code::asked;
    }

    // How often a single message may cost the connection: whatever is configured, a restart of Redis is no proof.
    std::int64_t patience_with_losses() const { return std::max<std::int64_t>(work_.max_deliveries, 3); }

    // A large message that we have and never saw, because the answer that brought it was lost. One that costs the
    // connection again and again is given up unseen.
    awaitable<exit_code> fetch() {
        auto one = unread_.front();
        if (one.name.empty()) { // it only waited for a large one before it
            unread_.erase(unread_.begin());
            begin(std::move(one.message), one.failures + 1);
            co_return exit_code::asked;
        }
        auto& lost = lost_fetches_[one.name];
        auto bytes = std::atoll(one.name.substr(one.name.find(':') + 1).c_str());
        if (lost >= (bytes >= unreadable_from_ ? 1 : patience_with_losses())) {
            unreadable_from_ = std::min<std::int64_t>(unreadable_from_, bytes);
            co_return co_await bury_unseen(std::move(one));
        }
        store::scripts::find_held_call given{
            .hand = keys_.hand(id_), .lease = keys_.lease(id_), .token = token_, .held = one.name};
        auto found = co_await store::find_held(server_.calls(), std::move(given));
        if (!found) {
            lost += found.error().outcome_unknown ? 1 : 0;
            fetch_at_ = clock::now() + (found.error().outcome_unknown ? 100ms : 1000ms);
            co_return co_await give_up_or_wait(found.error());
        }
        lost_fetches_.erase(one.name);
        if (found->state != 0) {
            lose_lease();
            co_return exit_code::asked;
        }
        unread_.erase(unread_.begin());
        if (!found->messages.empty()) {
            begin(std::move(found->messages.front()), one.failures + 1);
        }
        co_return exit_code::asked;
    }

    awaitable<exit_code> bury_unseen(hand::seen one) {
        store::scripts::bury_held_call given{
            .hand = keys_.hand(id_),
            .lease = keys_.lease(id_),
            .suspects = keys_.suspects(),
            .deliveries = keys_.deliveries(),
            .dead = work_.dead,
            .token = token_,
            .held = one.name,
            .source = work_.in,
            .service = service(),
            .name = "TooLarge",
            .reason = "Redis closes the connection when this message is read",
            .attempts = patience_with_losses()};
        auto buried = co_await store::bury_held(server_.calls(), std::move(given));
        if (!buried) {
            fetch_at_ = clock::now() + 1s;
            co_return co_await give_up_or_wait(buried.error());
        }
        lost_fetches_.erase(one.name);
        if (buried->state != 0) {
            lose_lease();
            co_return exit_code::asked;
        }
        unread_.erase(unread_.begin());
        dead_ += buried->buried;
        count_elsewhere({.dead = buried->buried});
        context_.log->error(
            "a message was given up unseen: Redis closes the connection when it is read in={} dead={} message={}",
            work_.in, work_.dead, one.name);
        co_return exit_code::asked;
    }

    void lose_lease() {
        if (!hand_.empty()) {
            context_.log->warn(
                "the lease was lost, what was in hand is another's now in={} messages={}", work_.in, hand_.size());
        }
        hand_.lose_all();
        unread_.clear();
        lost_fetches_.clear();
        under_way_ = {};
        uncertain_ = false;
        id_ = 0;
        give_up();
        give_up_ = std::make_shared<base::stop_signal>(context_.executor);
    }

    // Gives back what was not decided, and ends the lease; if that fails, others recover it when the lease has ended.
    awaitable<void> leave() {
        base::reached("before_release");
        for (bool more = id_ != 0; more;) {
            store::scripts::release_call given{
                .source = work_.in,
                .hand = keys_.hand(id_),
                .lease = keys_.lease(id_),
                .owners = keys_.owners(),
                .id = std::to_string(id_),
                .token = token_,
                .max_count = 1000};
            auto left = co_await store::release(server_.calls(), std::move(given));
            more = left && left->left > 0 && left->given > 0;
        }
    }

    // ---- take and settle

    std::int64_t lease_time() const { return std::chrono::milliseconds{work_.lease}.count(); }

    std::chrono::milliseconds renewal() const { return std::chrono::milliseconds{work_.lease} / 3; }

    // How many more may be held when so many are gone.
    std::int64_t room(std::size_t gone = 0) const {
        auto free = work_.concurrency - static_cast<std::int64_t>(hand_.size() - gone);
        bool full = hand_.bytes() >= work_.max_bytes_in_flight ||
                    static_cast<std::int64_t>(unread_.size()) >= work_.concurrency;
        return full ? 0 : std::clamp<std::int64_t>(free, 0, most_taken);
    }

    bool may_take() const { return !stop_.requested() && clock::now() >= closed_until_ && may_overtake(); }
    // What is in hand, or next, must be alone.
    bool is_blocked(std::size_t gone = 0) const {
        return waits_ && hand_.size() + unread_.size() > gone && acquitted_.empty();
    }
    // A message that waits for others has done its worst when it has begun. The last tries are alone all the same, so
    // that it is known who kills.
    std::int64_t bold() const { return work_.decide ? work_.max_deliveries - 2 : 0; }
    bool would_take() const { return may_take() && !is_blocked() && room() > 0; }
    bool may_overtake() const { return !work_.in_order || unread_.empty(); }
    bool is_call_due() const { return hand_.decided() > 0 || clock::now() >= renew_at_ || (wants_ && would_take()); }

    // Settling frees memory, so it is never refused. Taking on top of it is safe for a kind that pushes nothing; others
    // look every second, by a call that a full Redis refuses, whether there is room for what they push. A renewal that
    // is due is never such a call.
    awaitable<exit_code> call() {
        auto now = clock::now();
        under_way_ = hand_.choose(hold_back_ && now >= renew_at_ ? 0 : most_settled, settled_.limit());
        auto gone = under_way_.which.size();
        auto most = may_take() && !is_blocked(gone) && !under_way_.more_goes_back ? room(gone) : 0;
        bool frees = !work_.pushes;
        if (gone == 0 && most > 0 && !frees && now < renew_at_) {
            co_return co_await take(most, now);
        }
        co_return co_await settle(frees || now - took_at_ < 1s ? most : 0, now);
    }

    awaitable<exit_code> take(std::int64_t most, clock::time_point now) {
        store::scripts::take_call given{
            .source = work_.in,
            .hand = keys_.hand(id_),
            .lease = keys_.lease(id_),
            .owners = keys_.owners(),
            .suspects = keys_.suspects(),
            .deliveries = keys_.deliveries(),
            .delayed = keys_.delayed(),
            .id = std::to_string(id_),
            .token = token_,
            .call = call_ + 1,
            .lease_time = lease_time(),
            .max_count = most,
            .max_bytes = static_cast<std::int64_t>(taken_.limit()),
            .largest = largest_,
            .acquitted = acquitted_,
            .bold = bold()};
        base::reached("before_take");
        auto answer = co_await store::take(server_.calls(), std::move(given));
        if (!answer) {
            lost_a_call(answer.error(), true);
            co_return co_await call_failed(answer.error());
        }
        took_at_ = now;
        answered(*answer, most, now);
        co_return exit_code::asked;
    }

    awaitable<exit_code> settle(std::int64_t most, clock::time_point now) {
        auto metrics = metrics_here();
        store::scripts::settle_call given{
            .source = work_.in,
            .hand = keys_.hand(id_),
            .lease = keys_.lease(id_),
            .owners = keys_.owners(),
            .suspects = keys_.suspects(),
            .deliveries = keys_.deliveries(),
            .delayed = keys_.delayed(),
            .dead = work_.dead,
            .id = std::to_string(id_),
            .token = token_,
            .call = call_ + 1,
            .lease_time = lease_time(),
            .max_count = most,
            .max_bytes = static_cast<std::int64_t>(taken_.limit()),
            .largest = largest_,
            .acquitted = acquitted_,
            .bold = bold(),
            .max_deliveries = work_.max_deliveries,
            .service = service(),
            .metrics = metrics,
            .tracked = metrics.empty() ? "" : messages_,
            .reports = reports_,
            .oldest = 0};
        if (!metrics.empty()) {
            given.times = write_times(under_way_, now, work_.allowed);
        }
        write_verdicts(under_way_, work_.pauses, chance_(random_), given);
        base::reached("before_settle");
        auto answer = co_await store::settle(server_.calls(), std::move(given));
        base::reached("after_settle");
        if (!answer) {
            hold_back_ = !under_way_.which.empty() && !answer.error().outcome_unknown;
            if (hold_back_ && server_.calls().connected()) { // it was answered: whatever it is, it is not too large
                under_way_.which.front()->breaks = 0;
            }
            lost_a_call(answer.error(), most > 0);
            co_return co_await call_failed(answer.error());
        }
        hold_back_ = false;
        if (answer->state == 0) {
            auto counted = count_settled(under_way_);
            counted.dead = answer->buried;
            hand_.settled(under_way_);
            count_elsewhere(counted);
        }
        auto missing = answer->missing;
        answered(*answer, most, now);
        if (missing > 0) {
            context_.log->warn(
                "messages were not in our hand any more, somebody has changed it hand={} messages={}", keys_.hand(id_),
                missing);
            uncertain_ = true; // look at what is
        }
        if (answer->source_wrong == 1) {
            took_at_ = {};
            co_return co_await take(most, now); // it says why
        }
        co_return exit_code::asked;
    }

    // Perhaps because it was too large for the server's buffers. A single message that costs the connection again and
    // again is given up.
    void lost_a_call(const redis::failure& failed, bool takes) {
        if (!failed.outcome_unknown) {
            return;
        }
        auto now = clock::now();
        if (takes) {
            taken_.lost(taken_.limit(), now);
        }
        std::size_t bytes = 0;
        for (auto each : under_way_.which) {
            bytes += each->sent();
        }
        if (under_way_.which.size() != 1 || bytes < store::large_message) {
            return settled_.lost(bytes, now);
        }
        ++under_way_.which.front()->breaks;
    }

    // A message that was acknowledged alone is still in flight, so the call was not done.
    void give_up_what_costs_connections() {
        if (under_way_.which.size() != 1 || under_way_.which.front()->breaks < patience_with_losses()) {
            return;
        }
        auto one = under_way_.which.front();
        auto bytes = one->sent();
        context_.log->error(
            "a result is given up: Redis closes the connection when it is pushed in={} bytes={}", work_.in, bytes);
        auto reason = "Redis closes the connection when its result, " + std::to_string(bytes) + " bytes, is pushed";
        one->breaks = 0;
        hand_.decide_otherwise(one, instead_of(*one->decided, one->message, reason));
    }

    // What was to be set as a sign that the message is done is not: it may be sent back.
    verdict instead_of(const verdict& how, const std::string& message, const std::string& reason) const {
        auto made = too_large(message, reason);
        for (const auto& each : how.pushes) {
            if (each.keep != 0) {
                made.pushes.push_back({.to = each.to, .message = each.keep < 0 ? each.message : "*", .keep = -1});
            }
        }
        return made;
    }

    verdict too_large(const std::string& message, const std::string& reason) const {
        if (work_.too_large) {
            return work_.too_large(message, reason);
        }
        auto made = verdict::dead(reason);
        made.name = "TooLarge";
        return made;
    }

    // What is larger than that is not sent: it may cost the connection, and what others have on it.
    verdict bounded(const std::string& message, verdict how) const {
        for (const auto& each : how.pushes) {
            if (each.message.size() > work_.max_message_bytes && each.message != message) {
                return instead_of(
                    how, message,
                    "the result has " + std::to_string(each.message.size()) + " bytes, more than maxMessageBytes, " +
                        std::to_string(work_.max_message_bytes));
            }
        }
        return how;
    }

    template <class Answer>
    void answered(Answer& answer, std::int64_t most, clock::time_point sent) {
        auto gone = under_way_.which.size();
        under_way_ = {};
        if (answer.state == 2) {
            return lose_lease();
        }
        if (answer.state == 1) {
            uncertain_ = true;
            return;
        }
        ++call_;
        settled_.went_well(sent);
        taken_.went_well(sent);
        acquitted_.clear();
        renew_at_ = sent + renewal();
        wants_ = most > 0 ? answer.left > 0 : wants_ || gone > 0;
        waits_ = most > 0 ? answer.waits == 1 : waits_;
        largest_ = std::max(answer.largest, largest_ - largest_ / 8);
        auto now = clock::now();
        if (answer.next_lease >= 0) {
            dead_takers_.due_in(std::chrono::milliseconds{answer.next_lease});
        }
        forward_at_ =
            answer.next_delayed >= 0 ? now + std::chrono::milliseconds{answer.next_delayed} : clock::time_point::max();
        if (most > 0 || clock::now() >= closed_until_) {
            server_.answered();
        }
        base::reached("after_take");
        auto taken = static_cast<std::size_t>(answer.taken);
        for (std::size_t i = 0; i < taken && i < answer.messages.size(); ++i) {
            std::int64_t failures = answer.failed == 1 ? std::atoll(answer.messages.at(taken + i).c_str()) : 0;
            begin(std::move(answer.messages[i]), failures + 1);
        }
    }

    // What was under way is in hand as before, unless the answer got lost: then nobody knows.
    awaitable<exit_code> call_failed(redis::failure failed) {
        uncertain_ = failed.outcome_unknown;
        if (failed.kind == redis::error_class::pause_intake) {
            closed_until_ = clock::now() + 1s;
        }
        return give_up_or_wait(std::move(failed));
    }

    void begin(std::string message, std::int64_t delivery) {
        auto which = hand_.add(std::move(message), delivery, clock::now());
        if (auto size = which->message.size(); size > work_.max_message_bytes) {
            hand_.decide(
                which,
                too_large(
                    which->message, "the message has " + std::to_string(size) + " bytes, more than maxMessageBytes, " +
                                        std::to_string(work_.max_message_bytes)));
        } else if (hand_.going_back() > 0) { // older ones go back: it stays behind them
            hand_.decide(which, verdict::give_back());
        } else if (work_.decide) {
            base::reached("before_decide");
            auto how = work_.decide({which->message, delivery, lease_}, ticket{*this, which});
            if (how) {
                base::reached("after_decide");
                hand_.decide(which, bounded(which->message, std::move(*how)));
            } else if (waits_ && delivery - 1 < bold()) {
                acquitted_ = redis::sha1_hex(which->message);
                wants_ = true;
            }
        } else {
            decisions_.spawn("decide", decide(which, give_up_));
        }
    }

    awaitable<void> decide(hand::place which, std::shared_ptr<base::stop_signal> give_up) {
        base::reached("before_decide");
        taken given{which->message, which->delivery, lease_};
        auto how = co_await work_.later(given, *give_up);
        base::reached("after_decide");
        decided(which, std::move(how));
    }

    void decided(hand::place which, verdict how) override {
        hand_.decide(which, bounded(which->message, std::move(how)));
        stop_.awake().notify_all();
    }

    void give_up() {
        give_up_->request();
        if (work_.give_up) {
            work_.give_up();
        }
    }

    // ---- what others left

    awaitable<exit_code> see_to_the_dead() {
        saw_to_the_dead_ = saw_to_the_dead_.value_or(clock::now());
        auto found = co_await dead_takers_.recover(id_, service(), metrics_here());
        if (!found) {
            co_return co_await give_up_or_wait(found.error()); // what is in hand goes on
        }
        recovered_ += found->recovered;
        dead_ += found->buried;
        wants_ = wants_ || found->recovered + found->buried > 0;
        count_elsewhere({.dead = found->buried, .recovered = found->recovered});
        co_return exit_code::asked;
    }

    awaitable<exit_code> forward() {
        store::scripts::forward_call given{.delayed = keys_.delayed(), .source = work_.in, .max_count = 500};
        auto answer = co_await store::forward(server_.calls(), std::move(given));
        if (!answer) {
            forward_at_ = clock::now() + 1s;
            co_return co_await give_up_or_wait(answer.error());
        }
        wants_ = wants_ || answer->forwarded > 0;
        forward_at_ =
            answer->next >= 0 ? clock::now() + std::chrono::milliseconds{answer->next} : clock::time_point::max();
        co_return exit_code::asked;
    }

    // ---- waiting

    awaitable<void> rest() {
        auto latest = renew_at_;
        if (stop_.requested()) {
            auto enough = stopped_at_ + work_.patience;
            if (clock::now() >= enough) {
                give_up();
            } else {
                latest = std::min(latest, enough);
            }
        } else {
            latest = std::min({latest, dead_takers_.due(), forward_at_});
            latest = unread_.empty() ? latest : std::min(latest, fetch_at_);
            if (closed_until_ > clock::now()) {
                latest = std::min(latest, closed_until_);
            }
        }
        if (would_take()) {
            auto connects = server_.calls().connects();
            // Named, because GCC 12 destroys temporaries inside co_await twice.
            std::function<bool(std::int64_t)> any = [](std::int64_t length) { return length > 0; };
            std::function<bool()> other = [this, connects] {
                return hand_.decided() > 0 || server_.calls().connects() != connects;
            };
            co_await in_.until(std::move(any), std::move(other), latest);
            wants_ = true;
        } else {
            co_await stop_.awake().wait_for(latest - clock::now());
        }
    }

    awaitable<exit_code> give_up_or_wait(redis::failure failed) {
        bool go_on = co_await server_.after(std::move(failed));
        co_return go_on ? exit_code::asked : exit_code::failed;
    }

    // ---- counting

    struct counts {
        std::int64_t done = 0;
        std::int64_t retry = 0;
        std::int64_t dead = 0;
        std::int64_t recovered = 0;
    };

    std::string service() const {
        return service_.empty() ? context_.name : service_ + ":" + std::to_string(service_id_);
    }

    counts count_settled(const hand::choice& settled) {
        counts seen;
        for (auto each : settled.which) {
            seen.done += each->decided->is == verdict::type::done ? 1 : 0;
            seen.retry += each->decided->is == verdict::type::again ? 1 : 0;
            seen.dead += each->decided->is == verdict::type::dead ? 1 : 0;
        }
        done_ += seen.done;
        failed_ += seen.retry;
        dead_ += seen.dead;
        return seen;
    }

    // The prefix of the metrics' keys when the scripts that settle can count along; else empty.
    std::string metrics_here() const { return is_here() ? metrics_ : ""; }
    bool is_here() const { return service_link_ == &server_.calls(); }

    // Beside the work: another server that hangs must not cost us our lease.
    void count_elsewhere(counts seen) {
        if (service_link_ != nullptr && !is_here() && beside_.running() < 10) {
            beside_.spawn("count", count_there(seen));
        }
    }

    awaitable<void> count_there(counts seen) {
        for (const auto& [name, number] :
             {std::pair{"settled", seen.done}, std::pair{"retry", seen.retry}, std::pair{"dead", seen.dead},
              std::pair{"recovered", seen.recovered}}) {
            if (number > 0) {
                store::scripts::count_call given{.metric = metrics_ + name, .count = number, .last = ""};
                co_await store::count(*service_link_, std::move(given));
            }
        }
    }

    runtime::context context_;
    work work_;
    store::taking_keys keys_;
    base::stop_signal stop_;
    redis::server server_;
    std::shared_ptr<base::stop_signal> give_up_; // of the decisions under this lease
    base::task_group decisions_;
    base::task_group beside_; // what nobody waits for but the end
    runtime::queue_wait in_;
    dead_takers dead_takers_;
    redis::link* service_link_ = nullptr; // when there is a namespace
    std::string metrics_;
    std::string messages_;
    std::string reports_;
    std::string service_;
    std::int64_t service_id_ = 0;

    hand hand_;
    std::int64_t id_ = 0; // of our hand; 0: we have no lease
    std::string token_;
    lease_proof_ptr lease_;  // of what is taken now
    std::int64_t call_ = 0;  // number of the last one that is known to be done
    hand::choice under_way_; // what the call that is on the way settles
    bool uncertain_ = false; // nobody knows whether it was done
    bool hold_back_ = false; // Redis refused to settle: the lease is renewed without
    std::uint64_t seen_connects_ = 0;
    bool checked_ = false;
    std::optional<clock::time_point> saw_to_the_dead_; // since when, without a turn of work

    call_size settled_{most_settled_bytes};
    call_size taken_{most_bytes};
    std::vector<hand::seen> unread_; // large ones in hand that we have not seen, and what must not overtake them
    std::unordered_map<std::string, std::int64_t> lost_fetches_;
    std::int64_t unreadable_from_ = std::numeric_limits<std::int64_t>::max(); // bytes of what cost too many connections
    clock::time_point fetch_at_;

    bool wants_ = true;     // there may be something to take
    bool waits_ = false;    // what is next, or in hand, must be alone
    std::string acquitted_; // digest of a suspect in hand that has begun
    std::int64_t largest_ = 0;
    clock::time_point took_at_;      // by a call that a full Redis would have refused
    clock::time_point closed_until_; // Redis is full
    clock::time_point renew_at_;
    clock::time_point forward_at_ = clock::time_point::max();
    clock::time_point stopped_at_;

    std::minstd_rand random_{std::random_device{}()};
    std::uniform_real_distribution<double> chance_{0, 1};
    std::int64_t done_ = 0;
    std::int64_t failed_ = 0;
    std::int64_t dead_ = 0;
    std::int64_t recovered_ = 0;
};

} // namespace

void ticket::decide(verdict how) const {
    base::reached("after_decide");
    owner_->decided(which_, std::move(how));
}

std::unique_ptr<work_loop> create_work_loop(
    const runtime::context& given, const redis::url& server, std::optional<name_space_place> name_space, work what) {
    return std::make_unique<loop>(given, server, std::move(name_space), std::move(what));
}

} // namespace leat::taking
