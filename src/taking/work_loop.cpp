#include "taking/work_loop.hpp"

#include "base/point.hpp"
#include "base/process_identity.hpp"
#include "base/random_name.hpp"
#include "base/task_group.hpp"
#include "runtime/queue_wait.hpp"
#include "runtime/server_check.hpp"
#include "store/keys.hpp"
#include "store/settlement.hpp"
#include "taking/dead_takers.hpp"
#include "taking/forwarder.hpp"
#include "taking/taker.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <random>

namespace leat::taking {
namespace {

using boost::asio::awaitable;
using runtime::exit_code;
using clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

std::string host_name() {
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

taker::loss loss_of(const redis::failure& failed) {
    return failed.outcome_unknown                            ? taker::loss::answer_lost
           : failed.kind == redis::error_class::pause_intake ? taker::loss::refused_by_full_server
                                                             : taker::loss::refused;
}

// What `take` and `settle` say alike.
template <class Outcome>
taker::answer answer_of(Outcome& outcome, clock::time_point sent) {
    taker::answer made;
    made.in_turn = outcome.state == store::numbered_call::done;
    made.left = outcome.left;
    made.largest = outcome.largest;
    made.waits = outcome.waits == 1;
    made.sent = sent;
    made.came = clock::now();
    for (std::size_t i = 0; i < outcome.messages.size(); ++i) {
        auto failures = i < outcome.failures.size() ? outcome.failures[i] : 0;
        made.messages.push_back({std::move(outcome.messages[i]), failures, {}});
    }
    return made;
}

// Carries out what the taker says, one call at a time, and tells it what came of it.
class loop final : public work_loop {
public:
    loop(const runtime::context& given, const redis::url& server, std::optional<name_space_place> name_space, work what)
        : context_{given}
        , work_{std::move(what)}
        , keys_{work_.pending}
        , stop_{given.executor}
        , server_{given.redis.server_of(server, given.client_name, given.log, stop_)}
        , give_up_{std::make_shared<base::stop_signal>(given.executor)}
        , taker_{work_}
        , decisions_{given.executor, given.log}
        , in_{server_.ears(), work_.in, stop_, work_.tick}
        , dead_takers_{server_.calls(), work_, given.log}
        , forwarder_{server_.calls(), keys_, work_.in} {
        if (name_space) {
            is_here_ = &given.redis.link_of(name_space->server, given.client_name, given.log) == &server_.calls();
            metrics_ = store::message_keys{name_space->name_space}.metrics();
            messages_ = store::message_keys{name_space->name_space}.prefix();
            reports_ = name_space->reports;
            service_ = name_space->name_space;
        }
    }

    awaitable<exit_code> run() override {
        co_await server_.await_connection();
        auto ended = exit_code::asked;
        for (;;) {
            taker::errands errands{.recover = dead_takers_.due(), .forward = forwarder_.due()};
            auto step = taker_.next(connection(), errands, clock::now());
            if (step.is == taker::action::end || ended != exit_code::asked) {
                break;
            }
            ended = co_await carry_out(step);
            begin_decisions();
        }
        give_up(); // what still runs is another's, or nobody's any more
        co_await decisions_.wait();
        while (taker_.held().undecided() > 0 && work_.decide) {
            co_await stop_.awake().wait_for(1s);
        }
        co_await leave();
        context_.log->info(
            "ended done={} failed={} dead={} recovered={} failures={}", taker_.totals().done, taker_.totals().retry,
            taker_.totals().dead + buried_, recovered_, server_.failures());
        co_return ended;
    }

    void stop() override {
        stop_.request();
        server_.calls().changed().notify_all();
        taker_.stop(clock::now());
    }

    void registered(std::int64_t id) override { service_id_ = id; }

private:
    taker::connection connection() const {
        auto& link = server_.calls();
        return {.epoch = link.connects(), .up = link.connected(), .ended = link.ended()};
    }

    awaitable<exit_code> carry_out(taker::step step) {
        switch (step.is) {
        case taker::action::check:
            co_return co_await check();
        case taker::action::open:
            co_return co_await open();
        case taker::action::look:
            co_return co_await look();
        case taker::action::recover:
            co_return co_await recover();
        case taker::action::forward:
            co_return co_await forward();
        case taker::action::begin:
            taker_.begin_waiting(clock::now());
            co_return exit_code::asked;
        case taker::action::fetch:
            co_return co_await fetch();
        case taker::action::bury:
            co_return co_await bury_unread();
        case taker::action::take:
            co_return co_await take(step.most);
        case taker::action::settle:
            co_return co_await settle(step.most);
        case taker::action::rest:
            co_return co_await rest(step);
        case taker::action::end:
            break;
        }
        co_return exit_code::asked;
    }

    awaitable<exit_code> check() {
        auto checked = co_await runtime::check_server(server_.calls(), context_.log);
        if (!checked) {
            co_return co_await give_up_or_wait(checked.error());
        }
        taker_.checked();
        co_return exit_code::asked;
    }

    // ---- the lease

    std::int64_t lease_time() const { return std::chrono::milliseconds{work_.lease}.count(); }
    const std::string& token() const { return taker_.lease()->token; }

    awaitable<exit_code> open() {
        auto token = base::random_name(32);
        store::open_lease_call given{
            .keys = keys_,
            .token = token,
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
        auto lease = std::make_shared<lease_proof>(keys_.lease(opened->id), std::move(token));
        taker_.opened(opened->id, std::move(lease), server_.calls().connects(), clock::now());
        dead_takers_.begin();
        context_.log->info("taking in={} hand={} concurrency={}", work_.in, keys_.hand(opened->id), work_.concurrency);
        co_return exit_code::asked;
    }

    // After a lost answer or a reconnect: what does the server say is in flight with us?
    awaitable<exit_code> look() {
        auto epoch = server_.calls().connects();
        taker::in_flight seen;
        for (;;) {
            store::read_hand_call given{
                .keys = keys_,
                .id = taker_.id(),
                .token = token(),
                .first = static_cast<std::int64_t>(seen.messages.size()),
                .max_count = 1000,
                .max_bytes = static_cast<std::int64_t>(taker_.call_bytes()),
                .shy = store::large_message};
            auto read = co_await store::read_hand(server_.calls(), std::move(given));
            if (!read) {
                taker_.look_failed(read.error().outcome_unknown, clock::now());
                co_return co_await give_up_or_wait(read.error());
            }
            if (read->state == store::leased_call::lease_lost) {
                lose_lease();
                co_return exit_code::asked;
            }
            seen.fence = read->call;
            seen.last = read->last;
            for (auto& each : read->messages) {
                seen.messages.push_back({std::move(each.message), each.failures, std::move(each.name)});
            }
            if (read->messages.empty() || static_cast<std::int64_t>(seen.messages.size()) >= read->length) {
                break;
            }
        }
        std::ranges::reverse(seen.messages);
        auto looked = taker_.looked(std::move(seen), epoch, clock::now());
        if (looked.given_up) {
            context_.log->error(
                "a result is given up: Redis closes the connection when it is pushed in={} bytes={}", work_.in,
                *looked.given_up);
        }
        server_.answered();
        co_return exit_code::asked;
    }

    void lose_lease() {
        auto lost = taker_.lost_lease();
        if (lost > 0) {
            context_.log->warn(
                "the lease was lost, what was in flight is another's now in={} messages={}", work_.in, lost);
        }
        give_up();
        give_up_ = std::make_shared<base::stop_signal>(context_.executor);
    }

    // Gives back what was not decided, and ends the lease; if that fails, others recover it when the lease has ended.
    awaitable<void> leave() {
        base::reached("before_release");
        for (bool more = taker_.id() != 0; more;) {
            store::release_call given{
                .keys = keys_, .source = work_.in, .id = taker_.id(), .token = token(), .max_count = 1000};
            auto left = co_await store::release(server_.calls(), std::move(given));
            more = left && left->left > 0 && left->given > 0;
        }
    }

    // ---- unread messages

    awaitable<exit_code> fetch() {
        store::find_held_call given{.keys = keys_, .id = taker_.id(), .token = token(), .held = taker_.unread().name};
        auto found = co_await store::find_held(server_.calls(), std::move(given));
        if (!found) {
            taker_.fetch_failed(found.error().outcome_unknown, clock::now());
            co_return co_await give_up_or_wait(found.error());
        }
        if (found->state == store::leased_call::lease_lost) {
            lose_lease();
            co_return exit_code::asked;
        }
        std::optional<std::string> message;
        if (!found->message.empty()) {
            message = std::move(found->message.front());
        }
        taker_.fetched(std::move(message), clock::now());
        co_return exit_code::asked;
    }

    awaitable<exit_code> bury_unread() {
        auto name = taker_.unread().name;
        store::bury_call given{
            .keys = keys_,
            .dead = work_.dead,
            .id = taker_.id(),
            .token = token(),
            .held = name,
            .source = work_.in,
            .service = service(),
            .name = "TooLarge",
            .reason = "Redis closes the connection when this message is read",
            .attempts = taker_.patience_with_losses()};
        auto buried = co_await store::bury(server_.calls(), std::move(given));
        if (!buried) {
            taker_.fetch_failed(false, clock::now());
            co_return co_await give_up_or_wait(buried.error());
        }
        if (buried->state == store::leased_call::lease_lost) {
            lose_lease();
            co_return exit_code::asked;
        }
        taker_.buried();
        buried_ += buried->buried;
        count_all({.dead = buried->buried});
        context_.log->error(
            "a message was given up unseen: Redis closes the connection when it is read in={} dead={} message={}",
            work_.in, work_.dead, name);
        co_return exit_code::asked;
    }

    // ---- take and settle

    // What `take` and `settle` are told alike.
    template <class Call>
    Call begin_call(std::int64_t most) const {
        Call made{.keys = keys_};
        made.source = work_.in;
        made.id = taker_.id();
        made.token = token();
        made.call = taker_.next_call();
        made.lease_time = lease_time();
        made.max_count = most;
        made.max_bytes = static_cast<std::int64_t>(taker_.call_bytes());
        made.largest = taker_.largest();
        made.acquitted = taker_.acquitted();
        made.bold = taker_.bold();
        return made;
    }

    awaitable<exit_code> take(std::int64_t most) {
        auto given = begin_call<store::take_call>(most);
        base::reached("before_take");
        auto sent = clock::now();
        auto outcome = co_await store::take(server_.calls(), std::move(given));
        if (!outcome) {
            taker_.take_failed(loss_of(outcome.error()), clock::now());
            co_return co_await give_up_or_wait(outcome.error());
        }
        if (outcome->state == store::numbered_call::lease_lost) {
            lose_lease();
            co_return exit_code::asked;
        }
        server_.answered();
        note_dates(*outcome);
        taker_.took(answer_of(*outcome, sent), most);
        base::reached("after_take");
        co_return exit_code::asked;
    }

    awaitable<exit_code> settle(std::int64_t most) {
        auto metrics = metrics_here();
        auto sent = clock::now();
        auto given = begin_call<store::settle_call>(most);
        given.dead = work_.dead;
        given.max_deliveries = work_.max_deliveries;
        given.service = service();
        given.reports = reports_;
        if (!metrics.empty()) {
            given.metrics = metrics;
            given.tracked = messages_;
            given.times = write_times(taker_.chosen(), sent, work_.allowed);
        }
        write_verdicts(taker_.chosen(), work_.pauses, chance_(random_), given);
        base::reached("before_settle");
        auto outcome = co_await store::settle(server_.calls(), std::move(given));
        base::reached("after_settle");
        if (!outcome) {
            taker_.settle_failed(loss_of(outcome.error()), server_.calls().connected(), most, clock::now());
            co_return co_await give_up_or_wait(outcome.error());
        }
        if (outcome->state == store::numbered_call::lease_lost) {
            lose_lease();
            co_return exit_code::asked;
        }
        co_return co_await settled(*outcome, most, sent);
    }

    awaitable<exit_code> settled(store::settle_outcome& outcome, std::int64_t most, clock::time_point sent) {
        if (most > 0 || !taker_.is_closed(clock::now())) {
            server_.answered();
        }
        note_dates(outcome);
        note_times(outcome, sent);
        auto answer = answer_of(outcome, sent);
        answer.missing = outcome.missing;
        answer.source_wrong = outcome.source_wrong == 1;
        auto counted = taker_.settled(std::move(answer), most);
        counted.dead = outcome.buried;
        count_all({.done = counted.done, .retry = counted.retry, .dead = counted.dead});
        base::reached("after_take");
        if (outcome.missing > 0) {
            context_.log->warn(
                "messages were not in flight with us any more, somebody has changed the list hand={} messages={}",
                keys_.hand(taker_.id()), outcome.missing);
        }
        if (outcome.source_wrong == 1) {
            begin_decisions();
            co_return co_await take(most); // it says why
        }
        co_return exit_code::asked;
    }

    void note_times(const store::settle_outcome& outcome, clock::time_point sent) {
        for (auto each : taker_.chosen().which) {
            if (outcome.state == store::numbered_call::done && each->decided->is == verdict::type::done) {
                settled_.took(sent - each->taken);
            }
        }
    }

    // When other agents are needed next.
    template <class Outcome>
    void note_dates(const Outcome& outcome) {
        if (outcome.state == store::numbered_call::done) {
            if (outcome.next_lease >= 0) {
                dead_takers_.due_in(std::chrono::milliseconds{outcome.next_lease});
            }
            forwarder_.due_in(outcome.next_delayed);
        }
    }

    // ---- decisions

    void begin_decisions() {
        for (auto which : taker_.take_begun()) {
            if (taker_.starts(which)) {
                base::reached("before_decide");
                begin_decision(which);
            }
        }
    }

    void begin_decision(hand::place which) {
        if (!work_.decide) {
            decisions_.spawn("decide", decide(which, give_up_));
            return;
        }
        auto how = work_.decide({which->message, which->delivery, taker_.lease()}, ticket{*this, which});
        if (how) {
            base::reached("after_decide");
            taker_.decide(which, std::move(*how));
        } else {
            taker_.has_begun(which);
        }
    }

    awaitable<void> decide(hand::place which, std::shared_ptr<base::stop_signal> give_up) {
        taken given{which->message, which->delivery, taker_.lease()};
        auto how = co_await work_.later(given, *give_up);
        base::reached("after_decide");
        decided(which, std::move(how));
    }

    void decided(hand::place which, verdict how) override {
        taker_.decide(which, std::move(how));
        stop_.awake().notify_all();
    }

    void give_up() {
        give_up_->request();
        if (work_.give_up) {
            work_.give_up();
        }
    }

    // ---- what others left

    awaitable<exit_code> recover() {
        auto found = co_await dead_takers_.recover(taker_.id(), service(), metrics_here());
        if (!found) {
            co_return co_await give_up_or_wait(found.error()); // what is in flight goes on
        }
        recovered_ += found->recovered;
        buried_ += found->buried;
        taker_.recovered(found->recovered + found->buried > 0);
        count_all({.dead = found->buried, .recovered = found->recovered});
        co_return exit_code::asked;
    }

    awaitable<exit_code> forward() {
        auto forwarded = co_await forwarder_.forward();
        if (!forwarded) {
            co_return co_await give_up_or_wait(forwarded.error());
        }
        taker_.forwarded(*forwarded > 0);
        co_return exit_code::asked;
    }

    // ---- waiting

    awaitable<exit_code> rest(taker::step step) {
        if (taker_.gives_up(clock::now())) {
            give_up();
        }
        if (step.listens) {
            auto connects = server_.calls().connects();
            // Named, because GCC 12 destroys temporaries inside co_await twice.
            std::function<bool(std::int64_t)> any = [](std::int64_t length) { return length > 0; };
            std::function<bool()> other = [this, connects] {
                return taker_.can_acknowledge() || server_.calls().connects() != connects;
            };
            co_await in_.until(std::move(any), std::move(other), step.until);
        } else {
            co_await stop_.awake().wait_for(step.until - clock::now());
        }
        taker_.rested(step.listens);
        if (server_.ears().connection().refused()) {
            co_return co_await give_up_or_wait(*server_.ears().connection().refused());
        }
        co_return exit_code::asked;
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

    // The prefix of the metrics' keys when the scripts that settle can count along; else empty.
    std::string metrics_here() const { return is_here_ ? metrics_ : ""; }

    // The totals are counted by the scripts where they can.
    void count(std::string_view name, std::int64_t number) {
        if (number > 0) {
            using scope = runtime::metrics::scope;
            context_.metrics.of(name, work_.in, is_here_ ? scope::service : scope::both).add(number);
        }
    }
    void count_all(counts seen) {
        count("retry", seen.retry);
        count("dead", seen.dead);
        count("recovered", seen.recovered);
        if (!is_here_ && seen.done > 0) { // the times of a total are whole seconds
            context_.metrics.of("settled", {}, runtime::metrics::scope::total).add(seen.done);
        }
    }

    runtime::context context_;
    work work_;
    store::taking_keys keys_;
    base::stop_signal stop_;
    redis::server server_;
    std::shared_ptr<base::stop_signal> give_up_; // of the decisions under this lease
    taker taker_;
    base::task_group decisions_;
    runtime::queue_wait in_;
    dead_takers dead_takers_;
    forwarder forwarder_;
    bool is_here_ = false; // the namespace's keys are on the server of the queues
    std::string metrics_;
    std::string messages_;
    std::string reports_;
    std::string service_;
    std::int64_t service_id_ = 0;

    runtime::metrics::series& settled_{
        context_.metrics.of("settled", work_.in, runtime::metrics::scope::service)}; // with the times
    std::minstd_rand random_{std::random_device{}()};
    std::uniform_real_distribution<double> chance_{0, 1};
    std::int64_t recovered_ = 0;
    std::int64_t buried_ = 0; // by recovery, or unseen
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
