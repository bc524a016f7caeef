#include "base/task_group.hpp"
#include "base/unicode.hpp"
#include "redis/server.hpp"
#include "routing/query_message.hpp"
#include "routing/query_run.hpp"
#include "routing/query_sender.hpp"
#include "routing/reply_rule.hpp"
#include "routing/routing.hpp"
#include "routing/rquery_settings.hpp"
#include "taking/work_loop.hpp"

#include <memory>

namespace leat::routing {
namespace {

using boost::asio::awaitable;
using taking::verdict;
using clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr std::size_t most_told = 200; // bytes of what Redis says

class rquery final : public runtime::service {
public:
    rquery(runtime::context given, rquery_settings settings)
        : context_{std::move(given)}
        , settings_{std::move(settings)}
        , rules_{rules_of(settings_)}
        , replies_{settings_.in, settings_.reply, settings_.reply_prefixes, taking::own_keys_of(settings_)}
        , stop_{context_.executor}
        , server_{context_.redis.called_server_of(
              redis::parse_url(settings_.redis).value(), context_.client_name, context_.log, stop_,
              "a query is refused for now")}
        , sender_{context_.executor, server_.calls(), context_.log, static_cast<std::size_t>(settings_.max_reply_bytes_in_flight)}
        , turn_over_{context_.executor}
        , tasks_{context_.executor, context_.log} {
        auto work = taking::work_of(settings_);
        work.pushes = true;
        work.allowed = std::chrono::ceil<std::chrono::seconds>(timeout());
        work.later = [this](taking::taken message, base::stop_signal& abandoned) {
            return decide(std::move(message), abandoned);
        };
        work.too_large = [this](const std::string& message, const std::string& reason) {
            auto asked = read_asked(message, rules_);
            auto unanswerable = refuse(asked);
            return unanswerable ? std::move(*unanswerable)
                                : answer(asked, write_fault(asked, {query_faults::too_large, reason}));
        };
        loop_ = taking::create_work_loop(
            context_, redis::parse_url(settings_.redis).value(), taking::name_space_of(settings_), std::move(work));
    }

    awaitable<runtime::outcome> run() override {
        auto code = co_await loop_->run();
        stop_.request();
        co_await tasks_.wait();
        co_await sender_.ended();
        co_return runtime::outcome{code};
    }

    void stop() override {
        stop_.request();
        loop_->stop();
    }
    void registered(std::int64_t id) override { loop_->registered(id); }

private:
    std::chrono::milliseconds timeout() const { return std::chrono::milliseconds{settings_.timeout}; }

    awaitable<verdict> decide(taking::taken given, base::stop_signal& abandoned) {
        auto asked = read_asked(given.message, rules_);
        if (auto unanswerable = refuse(asked)) {
            co_return std::move(*unanswerable);
        }
        if (!asked.plan) {
            co_return answer(asked, write_fault(asked, asked.plan.error()));
        }
        if (given.delivery == 1) {
            co_return co_await run_query(asked, abandoned);
        }
        // It was on its way when a connection was lost, perhaps because of it (an answer that is larger than Redis lets
        // it be). So it goes alone among its like, lest the others are blamed with it again.
        base::stop_signal::also wakes{abandoned, turn_over_};
        while (suspect_at_work_ && !abandoned.requested()) {
            co_await turn_over_.wait_for(std::chrono::hours{1});
        }
        if (abandoned.requested()) {
            co_return verdict::give_back();
        }
        suspect_at_work_ = true;
        auto decided = co_await run_query(asked, abandoned);
        suspect_at_work_ = false;
        turn_over_.notify_all();
        bool is_last = given.delivery >= settings_.max_deliveries;
        if (is_last && decided.is == verdict::type::again) {
            co_return unanswerable(asked, std::move(decided.reason));
        }
        co_return decided;
    }

    // A dead letter, of which the client hears.
    verdict unanswerable(const asked_query& asked, std::string reason) const {
        query_fault fault{
            query_faults::too_large,
            "the connection was lost each time that Redis answered: its reply is perhaps larger "
            "than Redis allows (client-output-buffer-limit)"};
        auto made = verdict::dead(std::move(reason));
        made.pushes = answer(asked, write_fault(asked, fault)).pushes;
        return made;
    }

    awaitable<verdict> run_query(asked_query& asked, base::stop_signal& abandoned) {
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
            using type = query_sender::ending::type;
            auto end = co_await sender_.send(run, std::move(*calls), deadline, abandoned);
            switch (end.is) {
            case type::answered:
                break;
            case type::abandoned:
                co_return verdict::give_back();
            case type::passing:
                co_return co_await try_again(std::move(*end.passing), abandoned);
            case type::timeout:
                co_return answer(asked, write_fault(asked, timed_out()));
            case type::fault:
                co_return answer(asked, write_fault(asked, *end.fault));
            }
        }
    }

    awaitable<verdict> try_again(redis::failure passing, base::stop_signal& abandoned) {
        if (passing.outcome_unknown) {
            co_return verdict::again(base::printable(passing.text, most_told));
        }
        base::stop_signal::also wakes{abandoned, stop_.awake()};
        if (!abandoned.requested()) {
            co_await server_.wait_after(std::move(passing));
        }
        tasks_.spawn("await the end of refusals", server_.end_when_quiet());
        co_return verdict::give_back();
    }

    query_fault timed_out() const {
        return {query_faults::timeout, "Redis did not answer within " + std::to_string(settings_.timeout) + " ms"};
    }

    // ---- answering

    // Of a query whose answer nobody could get.
    std::optional<verdict> refuse(const asked_query& asked) const {
        auto to = replies_.list_for(asked.by.reply);
        if (to) {
            return std::nullopt;
        }
        auto made = verdict::dead(to.error().text);
        if (!asked.plan) {
            made.reason += "; and " + asked.plan.error().message;
            made.name = asked.plan.error().name;
        }
        return made;
    }

    verdict answer(const asked_query& asked, std::string text) const {
        auto to = replies_.list_for(asked.by.reply).value(); // else it was refused
        verdict::push push{std::move(to.list), std::move(text), to.by_message};
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
    reply_rule replies_;
    base::stop_signal stop_;
    redis::server server_;
    query_sender sender_;
    std::unique_ptr<taking::work_loop> loop_;
    base::notice turn_over_;
    base::task_group tasks_;
    bool suspect_at_work_ = false; // a query that was delivered before
};

} // namespace

runtime::kind rquery_kind() {
    return runtime::kind_of<rquery_settings>(
        {.spec = runtime::lasting(rquery_spec()),
         .make = [](const runtime::context& given,
                    const rquery_settings& settings) { return std::make_unique<rquery>(given, settings); },
         .queues = [](const rquery_settings& settings) { return taking::queues_of(settings, settings.reply); }});
}

} // namespace leat::routing
