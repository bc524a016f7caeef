#include "connection.hpp"
#include "modes.hpp"
#include "store/keys.hpp"
#include "store/settlement.hpp"

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
                        .keys = keys,
                        .token = "token",
                        .lease_time = 3'600'000,
                        .host = "",
                        .pid = "",
                        .name = "",
                        .source = given.in,
                        .process = ""}));
    auto id = opened->element[0]->integer;
    std::vector<std::string> messages;
    auto held = given.held; // the first ones stay in hand for ever
    for (std::int64_t call = 1;; ++call) {
        auto kept = std::min<std::size_t>(messages.size(), static_cast<std::size_t>(held));
        messages.erase(messages.begin(), messages.begin() + static_cast<std::ptrdiff_t>(kept));
        held -= static_cast<int>(kept);
        auto count = messages.size();
        std::vector<std::vector<store::output>> pushes(count);
        std::vector<store::settled_message> settled;
        for (std::size_t i = 0; i < count; ++i) {
            for (const auto& out : given.outs) {
                pushes[i].push_back({.to = out, .message = messages[i]});
            }
            settled.push_back({.message = messages[i], .pushes = pushes[i], .newer = true});
        }
        store::settle_call made{
            .keys = keys,
            .source = given.in,
            .dead = "dead",
            .id = id,
            .token = "token",
            .call = call,
            .lease_time = 3'600'000,
            .max_count = given.batch,
            .max_bytes = 1 << 20,
            .largest = 100,
            .max_deliveries = 5,
            .metrics = "ns:metrics:"};
        store::write_settlement(settled, given.held == 0, made);
        auto got = run(server, store::make_call(std::move(made)));
        messages.clear();
        const auto* last = got->element[6]; // messages
        for (std::size_t i = 0; i < last->elements; ++i) {
            messages.emplace_back(last->element[i]->str, last->element[i]->len);
        }
        if (count == 0 && messages.empty()) {
            std::this_thread::sleep_for(std::chrono::milliseconds{1});
        }
    }
}

} // namespace leat::bench
