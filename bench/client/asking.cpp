#include "connection.hpp"
#include "modes.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string_view>

namespace leat::bench {
namespace {

using std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr std::size_t size = 100;

std::string message(std::size_t number) {
    auto digits = std::to_string(number);
    return std::string(10 - digits.size(), '0') + digits + std::string(size - 10, 'x');
}

// What stands between two texts, whatever comes before; these messages have nothing in them that would be escaped.
std::string between(std::string_view text, std::string_view begin, std::string_view end) {
    auto from = text.find(begin);
    if (from == std::string_view::npos) {
        throw std::runtime_error{"unexpected: " + std::string{text}};
    }
    text.remove_prefix(from + begin.size());
    return std::string{text.substr(0, text.find(end))};
}

// Up to so many of a list, at least one.
void send_pop(connection& server, const std::string& list, int most) {
    server.send({"BLMPOP", "0", "1", list, "RIGHT", "COUNT", std::to_string(most)});
}

template <class Each>
void each_popped(const answer& popped, Each take) {
    const auto* batch = popped->element[1];
    for (std::size_t i = 0; i < batch->elements; ++i) {
        take(std::string_view{batch->element[i]->str, batch->element[i]->len});
    }
}

class asker {
public:
    explicit asker(const words& given)
        : given_{given}
        , server_{given.port}
        , replies_{given.in + ":reply:1"} {}

    // Milliseconds from each question to its answer.
    std::vector<double> run(steady_clock::duration length) {
        auto end = steady_clock::now() + length;
        std::vector<double> seen;
        std::vector<std::string> push{"LPUSH", given_.in};
        for (int i = 0; i < given_.batch; ++i) {
            push.push_back(ask());
        }
        for (auto open = push.size() - 2; open > 0;) {
            bool asks = push.size() > 2;
            if (asks) {
                server_.send(push);
            }
            send_pop(server_, replies_, given_.batch);
            if (asks) {
                server_.receive();
            }
            push.resize(2);
            each_popped(server_.receive(), [&](std::string_view text) {
                seen.push_back(hear(text));
                if (steady_clock::now() < end) {
                    push.push_back(ask());
                } else {
                    --open;
                }
            });
        }
        return seen;
    }

private:
    std::string ask() {
        auto number = asked_.size();
        asked_.push_back(steady_clock::now());
        return R"({"meta":{"id":")" + std::to_string(number) + R"(","reply":")" + replies_ + R"("},"message":")" +
               message(number) + R"("})";
    }

    double hear(std::string_view text) {
        auto number = static_cast<std::size_t>(std::atoll(between(text, R"("id":")", "\"").c_str()));
        auto& asked = asked_.at(number);
        if (asked == steady_clock::time_point{} || between(text, R"("body":")", "\"") != message(number)) {
            throw std::runtime_error{"a wrong answer, or a second one: " + std::string{text}};
        }
        auto took = steady_clock::now() - asked;
        asked = {};
        return std::chrono::duration<double, std::milli>{took}.count();
    }

    const words& given_;
    connection server_;
    std::string replies_;
    std::vector<steady_clock::time_point> asked_; // by number; none: it is answered
};

} // namespace

void measure_asking(const words& given) {
    asker asks{given};
    asks.run(1s); // while others begin, and caches fill
    std::puts("\"ready\"");
    std::fflush(stdout);
    std::string line;
    std::getline(std::cin, line);
    auto began = steady_clock::now();
    auto seen = asks.run(2s);
    auto passed = std::chrono::duration<double>{steady_clock::now() - began}.count();
    std::ranges::sort(seen);
    auto at = [&seen](double part) {
        return seen[static_cast<std::size_t>(part * static_cast<double>(seen.size() - 1))];
    };
    std::printf(
        "{\"messages\": %zu, \"seconds\": %f, \"ok\": true, \"p50\": %f, \"p99\": %f, \"max\": %f}\n", seen.size(),
        passed, at(0.5), at(0.99), seen.back());
    std::fflush(stdout);
    ::pause(); // the harness still looks at our memory
}

void run_answer(const words& given) {
    connection server{given.port};
    for (;;) {
        send_pop(server, given.in, given.batch);
        int answers = 0;
        each_popped(server.receive(), [&](std::string_view text) {
            server.send(
                {"LPUSH", between(text, R"("reply":")", "\""),
                 R"({"meta":{"id":")" + between(text, R"("id":")", "\"") + R"("},"body":")" +
                     between(text, R"(\"message\":\")", "\\") + R"("})"});
            ++answers;
        });
        for (; answers > 0; --answers) {
            server.receive();
        }
    }
}

} // namespace leat::bench
