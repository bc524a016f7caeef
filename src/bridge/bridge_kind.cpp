#include "bridge/bridge_kind.hpp"

#include "base/random_name.hpp"
#include "base/unicode.hpp"
#include "bridge/bridge_message.hpp"
#include "bridge/bridge_settings.hpp"
#include "bridge/delivery_slots.hpp"
#include "bridge/partial_metrics.hpp"
#include "bridge/sync_channel.hpp"
#include "message/preview.hpp"
#include "message/raw_json.hpp"
#include "redis/digest.hpp"
#include "store/keys.hpp"
#include "taking/work_loop.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

namespace leat::bridge {
namespace {

using boost::asio::awaitable;
using store::bridge_state;
using taking::verdict;
using clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

// A queue that messages are taken from.
struct intake {
    std::string queue;
    base::result<bridge_wish> (*read)(std::string_view text);
    runtime::metrics::series& calls;
    redis::server server; // what is refused of this queue's messages is its own fault
    std::unique_ptr<taking::work_loop> loop = {};
    std::vector<taking::ticket> returning = {}; // Redis did not take them
};

std::string name_of(bridge_state state) {
    return std::string{store::to_string(state)};
}

// What becomes of a message of a queue when Redis has answered.
verdict verdict_of(const store::bridge_answer& answer, bool is_response) {
    switch (answer.state) {
    case bridge_state::cancelled: // a reply that comes after its group was given up goes the way of the group
        if (!is_response) {
            return verdict::done();
        }
        [[fallthrough]];
    case bridge_state::conflict:
    case bridge_state::group_too_large: {
        auto made = verdict::dead(base::printable(answer.detail, 200));
        made.name = name_of(answer.state);
        return made;
    }
    case bridge_state::full:
    case bridge_state::error:
        return verdict::again(base::printable(answer.detail, 200));
    default:
        return verdict::done();
    }
}

// Why nothing was done, for a reason that is not the message's: the call failed, or this user may not do what it asks
// for.
std::optional<redis::failure> refusal_of(const redis::result<store::bridge_answer>& answer) {
    if (!answer) {
        return answer.error();
    }
    if (answer->state == bridge_state::error && redis::classify(answer->detail) == redis::error_class::stop) {
        return redis::failure{redis::error_class::stop, answer->detail};
    }
    return std::nullopt;
}

// The front of a bridge that talks by queues: what comes is taken from `in` and `answers`, each as one item for Redis;
// what is claimed is pushed to its origin's list by the script that claims it. So no step is ever half done: a message
// of a queue is in hand until its item is known to be done, and an item that is done twice changes nothing.
class bridge_service final : public runtime::service {
public:
    bridge_service(const runtime::context& given, bridge_settings settings)
        : context_{given}
        , settings_{std::move(settings)}
        , url_{redis::parse_url(settings_.redis).value()}
        , stop_{given.executor}
        , link_{given.redis.link_of(url_, given.client_name, given.log)}
        , pushing_{given.redis.called_server_of(url_, given.client_name, given.log, stop_, "deliveries cannot be pushed")}
        , channel_{given.executor, link_, given.log, setup(), settings_.rules(), 1}
        , slots_{settings_.queue().admitted(), std::chrono::milliseconds{settings_.max_pending_ttl}}
        , agent_{
              channel_,
              given.redis.server_of(url_, given.client_name, given.log, stop_, "what is due cannot be collected"), stop_,
              given.log, agent_options()}
        , tasks_{given.executor, given.log}
        , in_{make_intake(settings_.in, &read_bridge_message)}
        , answers_{make_intake(settings_.answers, &read_delivery_answer)} {
        channel_.listen(
            {.room = [this] { return stop_.requested() ? 0 : slots_.room(clock::now()); },
             .claimed = {}, // pushed, and not handed over
             .told =
                 [this](std::int64_t claimed, std::int64_t ready, std::int64_t due, const std::string& refused) {
                     told(claimed, ready, due, refused);
                 }});
        given.metrics.show(link_, "bridge:counts:", settings_.in, store::bridge_keys{settings_.prefix}.counts());
        make_loop(in_);
        make_loop(answers_);
    }

    awaitable<runtime::outcome> run() override {
        tasks_.spawn("awaited agent", agent_.run());
        if (settings_.extra_time_metrics) {
            tasks_.spawn("tell metrics", tell_metrics());
        }
        tasks_.spawn("answers", run_answers());
        auto code = co_await in_.loop->run();
        answers_.loop->stop();
        stop_.request();
        co_await tasks_.wait();
        co_await channel_.ended();
        co_return runtime::outcome{std::max(code, answers_code_)};
    }

    void stop() override {
        in_.loop->stop();
        answers_.loop->stop();
        stop_.request();
        link_.changed().notify_all();
    }

    void registered(std::int64_t id) override {
        in_.loop->registered(id);
        answers_.loop->registered(id);
    }

    std::chrono::seconds patience() const override { return 3s; }

private:
    store::bridge_setup setup() const {
        return {
            .prefix = settings_.prefix,
            .owner = base::random_name(),
            .out = settings_.out,
            .dead = taking::dead_of(settings_),
            .source = settings_.in,
            .answers = settings_.answers,
            .source_hands = taking::pending_of(settings_),
            .answers_hands = store::pending_beside(settings_.answers)};
    }

    awaited_agent::options agent_options() {
        auto made = settings_.agent();
        made.has_room = [this] { return slots_.room(clock::now()) > 0; };
        made.room_at = [this] { return slots_.next_release(); };
        return made;
    }

    intake make_intake(const std::string& queue, decltype(intake::read) read) {
        return {
            .queue = queue,
            .read = read,
            .calls = context_.metrics.of("bridge:call", queue),
            .server = context_.redis.called_server_of(
                url_, context_.client_name, context_.log, stop_, "messages of " + queue + " are refused")};
    }

    void make_loop(intake& from) {
        // NOLINTNEXTLINE(cppcoreguidelines-slicing): what every kind that takes has
        auto own = static_cast<taking::taking_settings>(settings_);
        own.in = from.queue;
        bool is_main = &from == &in_;
        own.pending = is_main ? settings_.pending : std::nullopt;
        own.dead = taking::dead_of(settings_);
        auto work = taking::work_of(own);
        work.allowed = 1s;
        work.in_order = true;
        work.decide = [this, &from](const taking::taken& given, taking::ticket later) {
            return decide(given, later, from);
        };
        from.loop = taking::create_work_loop(context_, url_, taking::name_space_of(settings_), std::move(work));
    }

    awaitable<void> run_answers() {
        answers_code_ = co_await answers_.loop->run();
        in_.loop->stop();
        stop_.request();
    }

    std::optional<verdict> decide(const taking::taken& given, taking::ticket later, intake& from) {
        if (!from.returning.empty()) { // what is before it goes back, and so does it
            from.returning.push_back(later);
            return std::nullopt;
        }
        auto wish = from.read(given.message);
        if (!wish) {
            auto made = verdict::dead(base::printable(wish.error().text, 200));
            made.name = "Invalid";
            context_.metrics.add("bridge:invalid", 1, from.queue);
            context_.log->debug("Invalid {}", show(given.message));
            return made;
        }
        auto shown = show(given.message);
        bool is_outcome = wish->is == bridge_wish::type::outcome;
        bool is_response = wish->is == bridge_wish::type::response;
        auto began = clock::now();
        // Its item has some kilobytes more.
        auto digest = given.message.size() >= store::large_message / 2 ? redis::sha1_hex(given.message) : std::string{};
        channel_.submit(
            wish->verb, std::move(wish->item),
            [this, later, is_outcome, is_response, began, &from, digest,
             shown](redis::result<store::bridge_answer> answer) {
                if (!answer && channel_.failed_alone() && !digest.empty() &&
                    ++lost_alone_[digest] >= std::max<std::int64_t>(settings_.max_deliveries, 3)) {
                    lost_alone_.erase(digest);
                    auto made = verdict::dead("Redis closes the connection when this message is accepted");
                    made.name = "TooLarge";
                    return later.decide(std::move(made));
                }
                if (auto refused = refusal_of(answer)) {
                    from.returning.push_back(later);
                    if (from.returning.size() == 1) {
                        tasks_.spawn("give back", give_back(from, std::move(*refused)));
                    }
                    return;
                }
                if (!lost_alone_.empty()) {
                    lost_alone_.erase(digest);
                }
                auto took = clock::now() - began;
                from.calls.took(took);
                partial_.took(took);
                context_.metrics.add("bridge:" + name_of(answer->state), 1, from.queue);
                if (!shown.empty()) {
                    context_.log->debug("{} {}", name_of(answer->state), shown);
                }
                bool is_over = answer->state != bridge_state::fenced && answer->state != bridge_state::error;
                if (is_outcome && is_over) {
                    slots_.free(1);
                }
                later.decide(verdict_of(*answer, is_response));
            },
            given.lease);
        return std::nullopt;
    }

    // For who follows a message through the log by its correlator.
    std::string show(const std::string& message) const {
        if (!context_.log->should_log(spdlog::level::debug)) {
            return {};
        }
        auto corr = message::raw_member(message, "corr");
        return "corr=" + base::printable(corr, 200) + " message=" + message::preview(message, 200);
    }

    // Redis is away, or refuses: in a while the messages are next again, all together, so that their order stays.
    // Others may be accepted meanwhile.
    awaitable<void> give_back(intake& from, redis::failure reason) {
        co_await from.server.wait_after(std::move(reason));
        for (const auto& each : std::exchange(from.returning, {})) {
            each.decide(verdict::give_back());
        }
        tasks_.spawn("await the end of refusals", from.server.end_when_quiet());
    }

    void told(std::int64_t claimed, std::int64_t ready, std::int64_t due, const std::string& refused) {
        slots_.take(claimed, clock::now());
        bool can_go = (ready > 0 || due == 0) && slots_.room(clock::now()) > 0;
        agent_.told(due, can_go);
        if (!refused.empty() && !stop_.requested()) {
            pushing_.failed({.kind = redis::classify(refused), .text = base::printable(refused, 200)});
            // A call that was refused nothing may have tried nothing of what is refused.
            auto between_tries = std::chrono::milliseconds{settings_.rules().retries_end};
            auto quiet = 1s + std::max<clock::duration>(1s, between_tries);
            tasks_.spawn("await the end of refusals", pushing_.end_when_quiet(quiet));
        }
    }

    awaitable<void> tell_metrics() {
        while (!stop_.requested()) {
            auto next = clock::now() + std::chrono::milliseconds{settings_.metrics_partial_interval};
            while (!stop_.requested() && clock::now() < next) {
                co_await stop_.awake().wait_for(next - clock::now());
            }
            auto partial = partial_.take();
            context_.log->info(
                "partial metrics messages={} mean={:.2f}ms max={:.2f}ms deliveries={} room={}", partial.calls,
                partial.mean, partial.longest, slots_.held(), slots_.room(clock::now()));
        }
    }

    runtime::context context_;
    bridge_settings settings_;
    redis::url url_;
    base::stop_signal stop_;
    redis::link& link_;
    redis::server pushing_; // by the scripts
    sync_channel channel_;
    delivery_slots slots_;
    awaited_agent agent_;
    base::task_group tasks_;
    partial_metrics partial_;
    intake in_;
    intake answers_;
    std::unordered_map<std::string, std::int64_t> lost_alone_; // by digest: connections that a large message has cost
    runtime::exit_code answers_code_ = runtime::exit_code::asked;
};

runtime::service_queues queues_of(const bridge_settings& settings) {
    auto queues = taking::queues_of(settings, std::nullopt);
    queues.roles.insert(queues.roles.begin() + 1, {"answers", {settings.answers}});
    return queues;
}

} // namespace

runtime::kind bridge_kind() {
    return runtime::kind_of<bridge_settings>(
        {.spec = runtime::lasting(bridge_spec()),
         .make = [](const runtime::context& given,
                    const bridge_settings& settings) { return std::make_unique<bridge_service>(given, settings); },
         .queues = &queues_of});
}

} // namespace leat::bridge
