#include "base/task_group.hpp"
#include "base/unicode.hpp"
#include "redis/link.hpp"
#include "routing/query_message.hpp"
#include "routing/query_run.hpp"
#include "routing/routing.hpp"
#include "routing/rquery_settings.hpp"
#include "runtime/registered_service.hpp"
#include "taking/work_loop.hpp"

#include <memory>

namespace leat::routing {
namespace {

using boost::asio::awaitable;
using taking::verdict;
using clock = std::chrono::steady_clock;

constexpr std::size_t most_told = 200; // bytes of what Redis says

// The calls of one round, and what has come of them. Shared with the calls: when the query has run out of time they go
// on without it.
struct query_round {
    query_round(const boost::asio::any_io_executor& executor, std::vector<query_run::call> given)
        : calls{std::move(given)}
        , answers(calls.size(), redis::failure{})
        , open{calls.size()}
        , answered{executor} {}

    std::vector<query_run::call> calls;
    std::vector<redis::result<redis::reply>> answers;
    std::size_t open;
    base::notice answered; // the last of them
};

class rquery final : public runtime::service {
public:
    rquery(runtime::context given, rquery_settings settings)
        : context_{std::move(given)}
        , settings_{std::move(settings)}
        , rules_{rules_of(settings_)}
        , own_{taking::own_keys_of(settings_)}
        , link_{context_.redis.link_of(redis::parse_url(settings_.redis).value(), context_.client_name, context_.log)}
        , calls_{context_.executor, context_.log}
        , turn_over_{context_.executor} {
        auto work = taking::work_of(settings_);
        work.pushes = true;
        work.allowed = std::chrono::ceil<std::chrono::seconds>(timeout());
        work.later = [this](taking::taken message, base::stop_signal& give_up) { return decide(message, give_up); };
        loop_ = taking::create_work_loop(
            context_, redis::parse_url(settings_.redis).value(), taking::name_space_of(settings_), std::move(work));
    }

    awaitable<runtime::outcome> run() override {
        auto code = co_await loop_->run();
        co_await calls_.wait();
        co_return runtime::outcome{code};
    }

    void stop() override { loop_->stop(); }
    void registered(std::int64_t id) override { loop_->registered(id); }

private:
    std::chrono::milliseconds timeout() const { return std::chrono::milliseconds{settings_.timeout}; }

    awaitable<verdict> decide(taking::taken given, base::stop_signal& give_up) {
        auto asked = read_asked(given.message, rules_);
        if (auto unanswerable = refuse(asked)) {
            co_return std::move(*unanswerable);
        }
        if (!asked.plan) {
            co_return answer(asked, write_fault(asked, asked.plan.error()));
        }
        if (given.delivery == 1) {
            co_return co_await run_query(asked, give_up);
        }
        // It was on its way when a connection was lost, perhaps because of it (an answer that is larger than Redis lets
        // it be). So it goes alone among its like, lest the others are blamed with it again.
        base::stop_signal::also wakes{give_up, turn_over_};
        while (suspect_at_work_ && !give_up.requested()) {
            co_await turn_over_.wait_for(std::chrono::hours{1});
        }
        if (give_up.requested()) {
            co_return verdict::give_back();
        }
        suspect_at_work_ = true;
        auto decided = co_await run_query(asked, give_up);
        suspect_at_work_ = false;
        turn_over_.notify_all();
        co_return decided;
    }

    awaitable<verdict> run_query(asked_query& asked, base::stop_signal& give_up) {
        query_run run{std::move(*asked.plan), rules_};
        auto deadline = clock::now() + timeout();
        for (;;) {
            auto calls = run.next();
            if (!calls) {
                co_return answer(asked, write_fault(asked, calls.error()));
            }
            if (calls->empty()) {
                co_return answer(asked, result_of(asked, run));
            }
            auto sent = std::make_shared<query_round>(context_.executor, std::move(*calls));
            if (!give_up.requested()) {
                co_await ask(sent, deadline, give_up);
            }
            if (sent->open > 0 && give_up.requested()) {
                co_return verdict::give_back();
            }
            if (auto passing = passing_of(*sent)) {
                co_return co_await try_again(std::move(*passing), give_up);
            }
            if (auto fault = bring(*sent, run)) {
                co_return answer(asked, write_fault(asked, *fault));
            }
        }
    }

    awaitable<verdict> try_again(redis::failure passing, base::stop_signal& give_up) {
        if (passing.outcome_unknown) {
            co_return verdict::again(base::printable(passing.text, most_told));
        }
        tell(passing);
        if (!give_up.requested()) {
            co_await give_up.awake().wait_for(std::chrono::seconds{1});
        }
        co_return verdict::give_back();
    }

    // ---- asking Redis

    // Until all is answered, or there is no reason to wait any longer.
    awaitable<void> ask(std::shared_ptr<query_round> sent, clock::time_point deadline, base::stop_signal& give_up) {
        for (std::size_t i = 0; i < sent->calls.size(); ++i) {
            calls_.spawn("ask", ask_one(sent, i));
        }
        base::stop_signal::also wakes{give_up, sent->answered};
        while (sent->open > 0 && !give_up.requested() && clock::now() < deadline) {
            co_await sent->answered.wait_for(deadline - clock::now());
        }
    }

    awaitable<void> ask_one(std::shared_ptr<query_round> sent, std::size_t which) {
        auto words = std::move(sent->calls[which].words);
        sent->answers[which] = co_await link_.call(std::move(words));
        if (--sent->open == 0) {
            sent->answered.notify_all();
        }
    }

    static std::optional<redis::failure> passing_of(const query_round& sent) {
        for (const auto& each : sent.answers) {
            if (sent.open == 0 && !each && is_passing(each.error())) {
                return each.error();
            }
        }
        return std::nullopt;
    }

    // Nothing, or why there will be no values: of several reasons that of the first command.
    std::optional<query_fault> bring(query_round& sent, query_run& run) {
        if (sent.open > 0) {
            return query_fault{
                query_faults::timeout, "Redis did not answer within " + std::to_string(settings_.timeout) + " ms"};
        }
        told_.clear();
        for (std::size_t i = 0; i < sent.answers.size(); ++i) {
            auto step = sent.calls[i].step;
            if (!sent.answers[i]) {
                return run.failed(step, sent.answers[i].error());
            }
            auto taken = run.answered(step, std::move(*sent.answers[i]));
            if (!taken) {
                return taken.error();
            }
        }
        return std::nullopt;
    }

    void tell(const redis::failure& reason) {
        if (link_.connected() && told_ != reason.text) { // of a lost connection the link tells
            told_ = reason.text;
            context_.log->warn(
                "waiting, nothing is lost: Redis refuses a query for now reason=\"{}\"",
                base::printable(reason.text, most_told));
        }
    }

    // ---- answering

    // Of a query whose answer nobody could get.
    std::optional<verdict> refuse(const asked_query& asked) const {
        std::string reason;
        if (own_.hold(asked.by.reply)) {
            reason = "meta.reply names a key that the service lives on";
        } else if (asked.by.reply.empty() && !settings_.reply) {
            reason = "there is no list for the answer: the query has no meta.reply, the settings have no `reply`";
        } else {
            return std::nullopt;
        }
        auto made = verdict::dead(std::move(reason));
        if (!asked.plan) {
            made.reason += "; and " + asked.plan.error().message;
            made.name = asked.plan.error().name;
        }
        return made;
    }

    verdict answer(const asked_query& asked, std::string text) const {
        bool by_message = !asked.by.reply.empty() && asked.by.reply != settings_.reply;
        verdict::push push{by_message ? asked.by.reply : *settings_.reply, std::move(text), by_message};
        return verdict::done({std::move(push)});
    }

    std::string result_of(const asked_query& asked, const query_run& run) const {
        auto text = write_result(asked, run.result());
        if (text.size() > rules_.max_answer) {
            query_fault fault{
                query_faults::too_large, "the answer has " + std::to_string(text.size()) +
                                             " bytes, more than maxAnswer, " + std::to_string(rules_.max_answer)};
            return write_fault(asked, fault);
        }
        return text;
    }

    runtime::context context_;
    rquery_settings settings_;
    query_rules rules_;
    taking::own_keys own_;
    redis::link& link_;
    base::task_group calls_;
    std::unique_ptr<taking::work_loop> loop_;
    base::notice turn_over_;
    bool suspect_at_work_ = false; // a query that was delivered before
    std::string told_;             // the last passing fault, until it is over
};

std::unique_ptr<runtime::service> make_rquery(const runtime::context& given, const config::value& settings) {
    config::problems none; // the settings have passed lint
    auto read = rquery_spec().read(settings, none).value();
    runtime::service_queues queues{
        redis::parse_url(read.redis).value(),
        {{"in", {read.in}}, {"pending", {taking::pending_of(read)}}, {"dead", {taking::dead_of(read)}}}};
    if (read.reply) {
        queues.roles.push_back({"reply", {*read.reply}});
    }
    auto inner = std::make_unique<rquery>(given, read);
    return runtime::under_registration(given, read, std::move(queues), std::move(inner));
}

} // namespace

runtime::kind rquery_kind() {
    return {&rquery_spec(), &make_rquery};
}

} // namespace leat::routing
