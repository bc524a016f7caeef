#include "cli/demo/mpush.hpp"

#include "base/shown.hpp"
#include "cli/demo/board.hpp"
#include "cli/demo/count.hpp"
#include "cli/demo/mpush_picture.hpp"
#include "cli/demo/stage.hpp"
#include "runtime/child.hpp"

#include <spdlog/fmt/fmt.h>

#include <csignal>
#include <fstream>

namespace leat::cli {
namespace {

using base::grouped;
using boost::asio::awaitable;

constexpr auto props = R"(in: demo:mpush:in
pending: demo:mpush:pending
popTimeout: 5
out: [demo:mpush:out0, demo:mpush:out1]
)";

// Publishes the numbers up to `upto`. The counter moves with the messages, so a publisher that lost an answer asks how
// far it came and never publishes one twice: a count that is off is then the fault of what comes after.
constexpr auto publish_script = R"(
local sent = tonumber(redis.call('GET', KEYS[2]) or '0')
local batch = {}
for number = sent + 1, tonumber(ARGV[1]) do batch[#batch + 1] = number end
if #batch > 0 then
    redis.call('LPUSH', KEYS[1], unpack(batch))
    redis.call('SET', KEYS[2], sent + #batch)
end
return sent + #batch
)";

class mpush_demo final : public demo_stage {
public:
    explicit mpush_demo(demo_words words)
        : demo_stage{words}
        , replicas_(2) {
        std::ofstream{folder_.path + "/mpush.yaml"} << props;
    }

private:
    void tell(const std::string& event) override { board_.event(event); }
    void leave_screen() override { board_.close(); }
    void clean_up() override {
        for (auto& each : replicas_) {
            each.end();
        }
    }

    awaitable<void> play() override {
        if (!board_.is_page()) {
            fmt::print(
                "Two replicas of mpush copy every message of demo:mpush:in to demo:mpush:out0 and demo:mpush:out1.\n"
                "{} messages a second are published; a replica is killed, then Redis is restarted.\n\n",
                grouped(words_.rate));
        }
        board_.event("private server started: " + server_.socket());
        start_replica(0);
        start_replica(1);
        co_await connect();
        began_ = clock::now();
        co_await publish_until(0.25);
        if (!interrupted_) {
            board_.event(fmt::format("kill -9 {} (replica 1)", replicas_[0].pid()));
            replicas_[0].signal(SIGKILL);
            replicas_[0].wait_for(std::chrono::seconds{5});
        }
        co_await publish_until(0.40);
        start_replica(0);
        co_await publish_until(0.60);
        if (!interrupted_) {
            board_.event("Redis stops (SIGTERM)");
            server_.stop();
            co_await draw();
            co_await awake_.wait_for(std::chrono::seconds{1});
            server_.start();
            board_.event("Redis is back, with its append-only file");
        }
        co_await publish_until(1.0);
        co_await settle();
        if (!interrupted_) {
            co_await check_result();
        }
        if (words_.keep && !interrupted_) {
            co_await keep();
        }
    }

    void start_replica(std::size_t index) {
        if (interrupted_) {
            return;
        }
        auto name = "replica" + std::to_string(index + 1);
        runtime::child::options how;
        how.death_signal = SIGKILL;
        how.output = folder_.path + "/" + name + ".log";
        replicas_[index] = runtime::child{
            {"/proc/self/exe", "mpush", folder_.path + "/mpush.yaml", "--redis", server_.url(), "--name", name}, how};
        board_.event(fmt::format("replica {} started: pid {}", index + 1, replicas_[index].pid()));
    }

    // Keeps the rate until this part of the demo's time has passed.
    awaitable<void> publish_until(double part) {
        auto until =
            began_ + std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>{part * words_.seconds});
        while (!interrupted_ && clock::now() < until) {
            co_await draw(); // before the push: what is shown is what the replicas left
            std::chrono::duration<double> passed = clock::now() - began_;
            auto due = static_cast<std::int64_t>(passed.count() * words_.rate);
            redis::command words{
                "EVAL",          publish_script,         "2",
                "demo:mpush:in", "demo:mpush:published", std::to_string(std::min(due, view_.sent + 5000))};
            auto sent = co_await link_->call(std::move(words));
            if (sent) {
                view_.sent = sent->whole();
            }
            co_await awake_.wait_for(std::chrono::milliseconds{20});
        }
    }

    awaitable<void> draw() {
        view_.redis = link_->connected();
        auto in = co_await length("demo:mpush:in");
        auto out0 = co_await length("demo:mpush:out0");
        auto out1 = co_await length("demo:mpush:out1");
        if (in >= 0 && out0 >= 0 && out1 >= 0) {
            view_.in = in;
            view_.outs = {out0, out1};
        }
        view_.replicas.clear();
        for (auto& each : replicas_) {
            view_.replicas.push_back(each.running() ? fmt::format("pid {}", each.pid()) : std::string{"killed"});
        }
        auto picture = picture_.take(view_, clock::now());
        if (picture && board_.is_page()) {
            board_.draw(std::move(*picture));
        } else if (picture) {
            board_.event(picture->front());
        }
    }

    awaitable<std::int64_t> length(std::string key) {
        redis::command words{"LLEN", std::move(key)};
        auto answer = co_await link_->call(std::move(words));
        co_return answer ? answer->whole() : -1;
    }

    // Until the last message has left `in`.
    awaitable<void> settle() {
        auto latest = clock::now() + std::chrono::seconds{30};
        while (!interrupted_ && clock::now() < latest) {
            co_await draw();
            if (link_->connected() && view_.in == 0) {
                break;
            }
            co_await awake_.wait_for(std::chrono::milliseconds{50});
        }
        board_.close();
    }

    // Counts what is really in the queues.
    awaitable<void> check_result() {
        redis::command words{"GET", "demo:mpush:published"};
        auto published = co_await link_->call(std::move(words));
        auto sent = published ? published->whole() : 0;
        auto out0 = co_await count_messages(*link_, "demo:mpush:out0", sent);
        auto out1 = co_await count_messages(*link_, "demo:mpush:out1", sent);
        if (!out0 || !out1) {
            fmt::print("\nthe queues cannot be read: {}\n", (out0 ? out1 : out0).error().text);
            exit_ = runtime::exit_code::failed;
            co_return;
        }
        auto lost = out0->lost + out1->lost;
        auto duplicated = out0->duplicated + out1->duplicated;
        auto reordered = out0->reordered + out1->reordered;
        fmt::print(
            "\nsent {} / out0 {} / out1 {} / lost {} / duplicated {} / reordered {}\n", grouped(sent),
            grouped(out0->held), grouped(out1->held), lost, duplicated, reordered);
        std::fflush(stdout);
        bool all_there = sent > 0 && out0->held == sent && out1->held == sent;
        bool good = all_there && lost == 0 && duplicated == 0 && reordered == 0;
        exit_ = good ? runtime::exit_code::asked : runtime::exit_code::failed;
    }

    // The queues are emptied, so that the commands below print what the guide shows.
    awaitable<void> keep() {
        redis::command words{"DEL", "demo:mpush:out0", "demo:mpush:out1"};
        (void)co_await link_->call(std::move(words));
        fmt::print(
            "\nThe queues are empty again, both replicas are running. In another terminal:\n\n"
            "  {0} lpush demo:mpush:in one\n  {0} lrange demo:mpush:out0 0 -1\n  {0} lrange demo:mpush:out1 0 -1\n"
            "  {0} client list\n\nLogs: {1}/*.log. Ctrl-C ends the demo and removes all of it.\n",
            redis_cli(), folder_.path);
        std::fflush(stdout);
        co_await stay();
    }

    std::vector<runtime::child> replicas_;
    demo_board board_{"leat demo mpush: two replicas copy each message to two lists"};
    mpush_picture picture_{board_.is_page()};
    mpush_view view_;
};

} // namespace

runtime::exit_code play_mpush_demo(demo_words words) {
    mpush_demo one{words};
    return one.run();
}

} // namespace leat::cli
