#include "store/taking.hpp"

#include "connection.hpp"
#include "modes.hpp"
#include "store/keys.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace leat::bench {
namespace {

answer checked(answer given) {
    if (given->type == REDIS_REPLY_ERROR) {
        throw std::runtime_error{given->str};
    }
    return given;
}

answer run(connection& server, redis::script_call made) {
    std::vector<std::string> all{"EVALSHA", std::string{made.what->sha1}, std::to_string(made.keys.size())};
    all.insert(all.end(), made.keys.begin(), made.keys.end());
    all.insert(all.end(), made.arguments.begin(), made.arguments.end());
    return checked(server.call(all));
}

} // namespace

void run_settle(const words& given) {
    connection server{given.port};
    store::taking_keys keys{given.in + ":pending"};
    checked(server.call({"SCRIPT", "LOAD", std::string{store::open_lease_script.text}}));
    checked(server.call({"SCRIPT", "LOAD", std::string{store::settle_script.text}}));
    auto opened =
        run(server, store::make_call(store::open_lease_call{
                        .counter = keys.counter(),
                        .owners = keys.owners(),
                        .pending = keys.pending(),
                        .token = "token",
                        .lease_time = 3'600'000,
                        .host = "",
                        .pid = "",
                        .name = "",
                        .source = given.in,
                        .process = ""}));
    auto id = opened->element[0]->integer;
    const auto verdict = given.outs.empty() ? 'd' : 'p';
    std::vector<std::string> messages;
    auto held = given.held; // the first ones stay in hand for ever
    for (std::int64_t call = 1;; ++call) {
        auto kept = std::min<std::size_t>(messages.size(), static_cast<std::size_t>(held));
        messages.erase(messages.begin(), messages.begin() + static_cast<std::ptrdiff_t>(kept));
        held -= static_cast<int>(kept);
        auto count = messages.size();
        for (std::size_t i = 0; i < count && !given.outs.empty(); ++i) { // behind all messages, what to do with each
            messages.push_back(std::to_string(given.outs.size()));
            for (std::size_t out = 0; out < given.outs.size(); ++out) {
                messages.push_back(std::to_string(out + 1));
                messages.push_back(messages[i]);
            }
        }
        auto got =
            run(server, store::make_call(store::settle_call{
                            .source = given.in,
                            .hand = keys.hand(id),
                            .lease = keys.lease(id),
                            .owners = keys.owners(),
                            .suspects = keys.suspects(),
                            .deliveries = keys.deliveries(),
                            .delayed = keys.delayed(),
                            .dead = "dead",
                            .outs = given.outs,
                            .id = std::to_string(id),
                            .token = "token",
                            .call = call,
                            .lease_time = 3'600'000,
                            .max_count = given.batch,
                            .max_bytes = 1 << 20,
                            .largest = 100,
                            .max_deliveries = 5,
                            .service = "",
                            .metrics = "ns:metrics:",
                            .times = "",
                            .oldest = given.held == 0 ? 1 : 0,
                            .sides = std::string(count, 'l'),
                            .verdicts = std::string(count, verdict),
                            .named = std::string(given.outs.size(), 's'),
                            .words = std::move(messages)}));
        messages.clear();
        const auto* last = got->element[got->elements - 1];
        for (std::size_t i = 0; i < last->elements; ++i) {
            messages.emplace_back(last->element[i]->str, last->element[i]->len);
        }
        if (count == 0 && messages.empty()) {
            std::this_thread::sleep_for(std::chrono::milliseconds{1});
        }
    }
}

} // namespace leat::bench
