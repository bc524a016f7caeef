#include "cli/demo/bridge.hpp"

#include "cli/demo/board.hpp"
#include "cli/demo/delivery.hpp"
#include "cli/demo/lane.hpp"
#include "cli/demo/script.hpp"
#include "runtime/child.hpp"

#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>

#include <algorithm>
#include <csignal>
#include <set>

namespace leat::cli {
namespace {

using boost::asio::awaitable;
using namespace std::chrono_literals;

constexpr auto prefix = "bridge:queue:";
constexpr std::int64_t most = 50;

// Plays the script: people ask, bots answer, a gateway for each origin takes deliveries to its client. What is shown is
// what the bridge, a process of its own, has made of it in Redis.
class bridge_demo final : public demo_stage {
public:
    explicit bridge_demo(demo_words words)
        : demo_stage{words}
        , steps_{demo_script()} {
        std::ranges::sort(steps_, {}, &demo_step::at); // no two at the same time
        lanes_.push_back({"anna", "whatsapp", {}, {}, {}});
        lanes_.push_back({"ben", "teams", {}, {}, {}});
        for (const auto& each : lanes_) {
            gateways_.push_back(make_link(each.origin));
        }
    }

private:
    struct late_ack {
        clock::time_point at;
        std::size_t lane = 0;
        std::string response;
    };

    std::chrono::milliseconds scaled(double seconds) const {
        return std::chrono::milliseconds{static_cast<std::int64_t>(seconds * 1000 * words_.seconds / demo_times::all)};
    }

    void tell(const std::string& event) override { board_.event(event); }
    void leave_screen() override { board_.close(); }
    void clean_up() override {
        over_ = true;
        bridge_.end();
        for (auto& each : gateways_) {
            each->stop();
        }
    }

    void start_bridge() {
        constexpr std::int64_t lease = 5000; // long enough for a busy machine: nothing is to be delivered twice
        auto in_milliseconds = [this](double seconds) { return std::to_string(scaled(seconds).count()); };
        auto factor = static_cast<double>(scaled(demo_times::pause).count()) / static_cast<double>(lease);
        runtime::child::options how;
        how.death_signal = SIGKILL;
        how.output = folder_.path + "/bridge.log";
        std::vector<std::string> words{"/proc/self/exe", "bridge", "--redis", server_.url(), "--prefix", prefix};
        words.insert(words.end(), {"--messageTtl", in_milliseconds(demo_times::request)});
        words.insert(words.end(), {"--sentMessageTtl", in_milliseconds(demo_times::ack)});
        words.insert(words.end(), {"--maxPendingTtl", std::to_string(lease), "--maxPendingTtlMargin", "2500"});
        words.insert(words.end(), {"--awaitedRetriesFactor", fmt::format("{:.3f}", factor)});
        bridge_ = runtime::child{words, how};
        tell(fmt::format("private server and bridge started: pid {}", bridge_.pid()));
    }

    awaitable<void> play() override {
        if (!board_.is_page()) {
            fmt::print(
                "Anna and Ben ask, bots answer in their own time, clients fail: each gets the replies in order.\n\n");
        }
        start_bridge();
        co_await connect();
        for (std::size_t i = 0; i < lanes_.size(); ++i) {
            tasks_.spawn("link of a gateway", gateways_[i]->run());
            tasks_.spawn("gateway", run_gateway(i));
        }
        began_ = clock::now();
        auto latest = began_ + scaled(demo_times::all) + 15s;
        while (!interrupted_ && !is_over() && clock::now() < latest) {
            co_await take_steps();
            co_await acknowledge_late();
            co_await refresh();
            co_await rest_until(clock::now() + 40ms);
        }
        board_.close();
        if (!interrupted_) {
            check_result();
        }
        if (words_.keep && !interrupted_) {
            co_await keep();
        }
    }

    bool is_over() const {
        auto is_empty = [](const demo_lane& each) { return each.seen.now > 0 && !each.seen.is_known(); };
        return next_ == steps_.size() && acks_.empty() && std::ranges::all_of(lanes_, is_empty);
    }

    awaitable<void> push(std::string list, std::string text) {
        redis::command words{"LPUSH", std::move(list), std::move(text)};
        auto answer = co_await link_->call(std::move(words));
        if (!answer) {
            throw std::runtime_error{answer.error().text};
        }
    }

    awaitable<void> take_steps() {
        while (next_ < steps_.size() && began_ + scaled(steps_[next_].at) <= clock::now()) {
            const auto& step = steps_[next_++];
            auto& lane = lanes_[step.lane];
            auto ids = fmt::format(
                R"("conversationId":"{}","origin":"{}","requestId":"{}")", lane.conversation, lane.origin,
                step.request);
            std::string text;
            if (step.reply.empty()) {
                tell(fmt::format("{} asks {}: {}", lane.conversation, step.request, step.text));
                lane.turns.push_back({std::string{step.request}, "", false});
                text = fmt::format(R"({{"type":"request",{}}})", ids);
            } else {
                tell(fmt::format("a bot answers {} with {}: {}", step.request, step.reply, step.text));
                std::ranges::find(lane.turns, step.request, &demo_lane::turn::request)->reply = step.reply;
                text = fmt::format(
                    R"({{"type":"response",{},"responseId":"{}","body":{{"text":"{}"}}}})", ids, step.reply, step.text);
            }
            co_await push("bridge:in", std::move(text));
        }
    }

    awaitable<void> acknowledge_late() {
        while (!acks_.empty() && acks_.front().at <= clock::now()) {
            auto one = acks_.front();
            acks_.erase(acks_.begin());
            const auto& lane = lanes_[one.lane];
            tell(fmt::format("{} acknowledges {}, late", lane.conversation, one.response));
            auto text =
                fmt::format(R"({{"type":"ack","asyncResponseId":"of {}","origin":"{}"}})", one.response, lane.origin);
            co_await push("bridge:in", std::move(text));
        }
    }

    // What the bridge has made of it.
    awaitable<void> refresh() {
        if (!bridge_.running()) {
            throw std::runtime_error{"the bridge has ended"};
        }
        for (auto& lane : lanes_) {
            auto before = std::move(lane.seen);
            lane.seen = co_await inspect::look_at_conversation(*link_, prefix, lane.conversation, most);
            notice_expiry(lane);
            bool is_new = before.state != lane.seen.state || before.head != lane.seen.head;
            if (!board_.is_page() && is_new && lane.seen.head) {
                tell("  " + inspect::why_it_waits(lane.seen));
            }
        }
        co_await tell_of_events();
        std::vector<std::string> picture;
        for (const auto& each : lanes_) {
            if (!picture.empty()) {
                picture.emplace_back();
            }
            std::ranges::move(lines_of(each, demo_board::columns()), std::back_inserter(picture));
        }
        board_.draw(std::move(picture));
    }

    void notice_expiry(demo_lane& lane) {
        for (auto& each : lane.turns) {
            const auto* found = lane.seen.find_request(each.request);
            bool expected = each.reply.empty() && !each.gave_way && known_.contains(each.request);
            if (found != nullptr) {
                known_.insert(each.request);
            } else if (expected) {
                each.gave_way = true;
                tell(fmt::format("{} never got a reply, and gives way", each.request));
            }
        }
    }

    // Of the bridge's own stream: what ended without its client's word.
    awaitable<void> tell_of_events() {
        auto events = co_await inspect::bridge_events(*link_, prefix, last_event_);
        for (auto& each : events) {
            if (each.event == "no-ack" && each.response) {
                tell(each.response->response_id + " was never acknowledged, and counts as delivered");
            } else if (each.event != "delivered" && each.response) {
                tell(fmt::format("{}: {}", each.response->response_id, each.event));
            }
            last_event_ = std::move(each.id);
        }
    }

    // A gateway: takes deliveries of its origin, one after the other.
    awaitable<void> run_gateway(std::size_t which) {
        auto& own = *gateways_[which];
        while (!over_) {
            redis::command words{"BRPOP", "bridge:out:" + lanes_[which].origin, "1"};
            auto answer = co_await own.call(std::move(words));
            if (!answer) {
                co_await own.changed().wait_for(100ms);
                continue;
            }
            auto texts = answer->texts();
            auto given = read_demo_delivery(texts.empty() ? std::string_view{} : texts.back());
            if (given) {
                co_await rest_until(clock::now() + scaled(demo_times::travel));
                co_await bring(which, std::move(*given));
            }
        }
    }

    // To the client, and how it went to the bridge.
    awaitable<void> bring(std::size_t which, demo_delivery given) {
        if (interrupted_ || given.is_late()) {
            co_return; // not to be sent any more; the bridge delivers it again
        }
        auto& lane = lanes_[which];
        auto manner = manner_of(given.response);
        std::string how = R"("status":"sent")";
        if (manner == demo_manner::fails && given.attempt == 1) {
            how = R"("status":"recoverable","reason":"503")";
            tell(fmt::format("{} cannot reach {} with {}: 503", lane.origin, lane.conversation, given.response));
        } else {
            lane.received.push_back(given.response);
            tell(fmt::format("{} gets {}{}", lane.conversation, given.response, remark(which, given.response, manner)));
        }
        if (manner == demo_manner::acks_late || manner == demo_manner::never_acks) {
            how += fmt::format(R"(,"asyncResponseId":"of {}")", given.response);
        }
        auto text = fmt::format(
            R"({{"conversationId":"{}","requestId":"{}","responseId":"{}","fence":{},{}}})", lane.conversation,
            given.request, given.response, given.fence, how);
        redis::command words{"LPUSH", "bridge:answers", std::move(text)};
        (void)co_await link_->call(std::move(words));
    }

    std::string remark(std::size_t which, const std::string& response, demo_manner manner) {
        if (manner == demo_manner::acks_late) {
            acks_.push_back({clock::now() + scaled(demo_times::late_ack), which, response});
            return ", and will acknowledge it later";
        }
        return manner == demo_manner::never_acks ? ", and will never acknowledge it" : "";
    }

    void check_result() {
        demo_verdict all;
        fmt::print("\n");
        for (const auto& lane : lanes_) {
            auto one = check_lane(lane);
            fmt::print("{} received {}\n", lane.conversation, fmt::join(lane.received, " "));
            all.in_order = all.in_order && one.in_order;
            all.lost += one.lost;
            all.duplicated += one.duplicated;
        }
        fmt::print("in order: {}, lost {}, duplicated {}\n", all.in_order ? "yes" : "no", all.lost, all.duplicated);
        std::fflush(stdout);
        exit_ = all.good() && is_over() ? runtime::exit_code::asked : runtime::exit_code::failed;
    }

    // A conversation is left waiting, so that there is something to look at.
    awaitable<void> keep() {
        co_await push("bridge:in", R"({"type":"request","conversationId":"cleo","requestId":"s1","origin":"web"})");
        co_await push(
            "bridge:in",
            R"({"type":"response","conversationId":"cleo","requestId":"s1","responseId":"c1","origin":"web","body":1})");
        fmt::print(
            "\nThe bridge is running; cleo's reply c1 waits for a gateway of web.\nIn another terminal:\n\n"
            "  {0} rpop bridge:out:web\n  {0} hgetall {1}counts\n  {0} xrange {1}events - +\n"
            "  leat inspect bridge cleo --redis '{2}'\n\n"
            "Log: {3}/bridge.log\nCtrl-C ends the demo and removes all of it.\n",
            redis_cli(), prefix, server_.url(), folder_.path);
        std::fflush(stdout);
        co_await stay();
    }

    std::vector<demo_step> steps_;
    std::vector<demo_lane> lanes_;
    std::vector<std::unique_ptr<redis::link>> gateways_; // one for each lane
    std::vector<late_ack> acks_;
    std::set<std::string> known_; // requests that the bridge has been seen to know
    demo_board board_{"leat demo bridge: replies in the order of the requests"};
    runtime::child bridge_;
    std::string last_event_; // that was told
    std::size_t next_ = 0;
    bool over_ = false;
};

} // namespace

runtime::exit_code play_bridge_demo(demo_words words) {
    bridge_demo one{words};
    return one.run();
}

} // namespace leat::cli
