#include "connection.hpp"
#include "ids.hpp"
#include "ledger.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <thread>

namespace leat::bench {

using namespace std::chrono_literals;

namespace {

constexpr int most_popped = 2000;

// What stands between two texts; nothing of ours is escaped.
std::string_view between(std::string_view text, std::string_view begin, std::string_view end) {
    auto from = text.find(begin);
    if (from == std::string_view::npos) {
        throw std::runtime_error{"unexpected: " + std::string{text}};
    }
    text.remove_prefix(from + begin.size());
    return text.substr(0, text.find(end));
}

// Those who push requests and replies, and the gateway that sends: as plain as they can be.
class load {
public:
    explicit load(const words& given)
        : given_{given}
        , seen_{given}
        , conversations_{uuids(given.conversations)}
        , few_{static_cast<std::size_t>(std::min(100, given.conversations / 10))}
        , server_{given.port} {}

    double give(std::chrono::milliseconds length) {
        auto began = clock::now();
        end_ = began + length;
        while (clock::now() < end_ || open_ > 0 || in_.size() > 2 || answers_.size() > 2) {
            turn();
            if (clock::now() > end_ + 60s) {
                throw std::runtime_error{"no end in sight, open: " + std::to_string(open_)};
            }
        }
        while (delivered() < seen_.given()) { // the last answers are on their way
            if (clock::now() > end_ + 60s) {
                throw std::runtime_error{"not all were delivered, but " + std::to_string(delivered())};
            }
            std::this_thread::sleep_for(1ms);
        }
        return std::chrono::duration<double>{clock::now() - began}.count();
    }

    ledger& seen() { return seen_; }
    bool ok() { return seen_.ok() && delivered() == seen_.given(); }

private:
    std::size_t delivered() {
        auto found = server_.call({"HGET", "bridge:queue:counts", "delivered"});
        return found->type == REDIS_REPLY_STRING ? static_cast<std::size_t>(std::atoll(found->str)) : 0;
    }

    void ask(std::size_t request) {
        const auto& conversation = conversations_[seen_.conversation_of(request)];
        auto ids = R"(,"conversationId":")" + conversation + R"(","requestId":")" + uuid() + R"(","origin":"bench")";
        in_.push_back(R"({"type":"request")" + ids + "}");
        auto first = seen_.first_message(request);
        for (auto message = first; message < first + static_cast<std::size_t>(given_.replies); ++message) {
            in_.push_back(
                R"({"type":"response")" + ids + R"(,"responseId":")" + uuid() + R"(","body":")" +
                body(message, given_.size) + R"("})");
            seen_.came(message, clock::now());
        }
    }

    void deliver(std::string_view text) {
        auto message = number_of(between(text, R"("body":")", "\""));
        std::string answer = R"({"conversationId":")";
        answer += between(text, R"("conversationId":")", "\"");
        answer += R"(","requestId":")";
        answer += between(text, R"("requestId":")", "\"");
        answer += R"(","responseId":")";
        answer += between(text, R"("responseId":")", "\"");
        answer += R"(","fence":)";
        answer += between(text, R"("fence":)", ",");
        if (is_one_of(message, given_.errors) && between(text, R"("attempt":)", ",") == "1") {
            answers_.push_back(answer + R"(,"status":"recoverable","reason":"busy"})");
            return;
        }
        seen_.arrived(message);
        if (given_.ack == 0) {
            answers_.push_back(answer + R"(,"status":"sent"})");
        } else {
            auto name = uuid();
            answers_.push_back(answer + R"(,"status":"sent","asyncResponseId":")" + name + R"("})");
            in_.push_back(R"({"type":"ack","origin":"bench","asyncResponseId":")" + name + R"("})");
        }
        if (--left_.at(seen_.request_of(message)) == 0) {
            --open_;
        }
    }

    void turn() {
        while (open_ < given_.in_flight && clock::now() < end_) {
            ++open_;
            left_.push_back(given_.replies);
            ask(seen_.next_request());
        }
        int pushes = 0;
        for (auto* each : {&in_, &answers_}) {
            if (each->size() > 2) {
                server_.send(*each);
                each->resize(2);
                ++pushes;
            }
        }
        bool pops = open_ > 0;
        if (pops) {
            server_.send({"BLMPOP", "1", "1", "bridge:out:bench", "RIGHT", "COUNT", std::to_string(most_popped)});
        }
        for (; pushes > 0; --pushes) {
            server_.receive();
        }
        if (pops) {
            take(server_.receive());
        }
    }

    void take(const answer& popped) {
        std::size_t count = 0;
        if (popped->type == REDIS_REPLY_ARRAY) {
            const auto* batch = popped->element[1];
            count = batch->elements;
            for (std::size_t i = 0; i < count; ++i) {
                deliver({batch->element[i]->str, batch->element[i]->len});
            }
        }
        if (count < few_) { // the service is on the same core: more will have come when it had its turn
            std::this_thread::sleep_for(500us);
        }
    }

    words given_;
    ledger seen_;
    std::vector<std::string> conversations_;
    std::size_t few_; // deliveries, after which it rests
    connection server_;
    std::vector<std::string> in_{"LPUSH", "bridge:in"};
    std::vector<std::string> answers_{"LPUSH", "bridge:answers"};
    clock::time_point end_;
    int open_ = 0;
    std::vector<int> left_; // replies of each request
};

} // namespace

void measure_service(const words& given) {
    load gives{given};
    gives.give(std::chrono::milliseconds{given.warm});
    auto before = gives.seen().total_arrived();
    gives.seen().clear();
    await_go();
    auto seconds = gives.give(std::chrono::milliseconds{given.time});
    auto& seen = gives.seen();
    tell(
        "\"messages\": " + std::to_string(seen.total_arrived() - before) + ", \"seconds\": " + std::to_string(seconds) +
        ", \"ok\": " + (gives.ok() ? "true" : "false") + ", " + percentiles(seen.times()));
    ::pause();
}

} // namespace leat::bench
