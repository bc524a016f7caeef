#include "connection.hpp"
#include "modes.hpp"
#include "store/transfer.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace leat::bench {
namespace {

void rest() {
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
}

std::vector<std::string> transfer_words(const words& given) {
    auto bounds = store::bounds_for(given.outs.size());
    store::scripts::transfer_call call{
        .source = given.in,
        .outs = given.outs,
        .max_count = std::min<std::int64_t>(bounds.count, given.batch),
        .max_bytes = bounds.bytes,
        .largest = 100,
        .max_length = 0,
        .max_shown = 0};
    auto made = store::scripts::make_call(std::move(call));
    std::vector<std::string> all{"EVALSHA", std::string{made.what->sha1}, std::to_string(made.keys.size())};
    all.insert(all.end(), made.keys.begin(), made.keys.end());
    all.insert(all.end(), made.arguments.begin(), made.arguments.end());
    return all;
}

} // namespace

void run_script(const words& given) {
    connection server{given.port};
    store::scripts::transfer_call empty;
    server.call({"SCRIPT", "LOAD", std::string{store::scripts::make_call(std::move(empty)).what->text}});
    auto call = transfer_words(given);
    for (int i = 0; i < given.depth; ++i) {
        server.send(call);
    }
    for (;;) {
        auto moved = server.receive();
        if (moved->element[0]->integer == 0) {
            rest();
        }
        server.send(call);
    }
}

void run_moves(const words& given) {
    connection server{given.port};
    auto count = std::to_string(given.batch);
    std::vector<std::string> push{"LPUSH", ""};
    std::vector<std::string> pop{"RPOP", given.in, count};
    // In flight: `depth` pops, each followed by the pushes of an earlier one.
    for (int i = 0; i < given.depth; ++i) {
        server.send(pop);
    }
    std::vector<std::size_t> pushes(static_cast<std::size_t>(given.depth), 0); // answers of pushes before each pop's
    std::size_t turn = 0;
    for (;;) {
        for (; pushes[turn] > 0; --pushes[turn]) {
            server.receive();
        }
        auto batch = server.receive();
        push.resize(2);
        for (std::size_t i = 0; batch->type == REDIS_REPLY_ARRAY && i < batch->elements; ++i) {
            push.emplace_back(batch->element[i]->str, batch->element[i]->len);
        }
        if (push.size() > 2) {
            for (const auto& out : given.outs) {
                push[1] = out;
                server.send(push);
            }
            pushes[turn] = given.outs.size();
        } else {
            rest();
        }
        server.send(pop);
        turn = (turn + 1) % pushes.size();
    }
}

void run_sequential(const words& given) {
    connection server{given.port};
    for (;;) {
        auto taken = server.call({"BRPOPLPUSH", given.in, "pending", "1"});
        if (taken->type != REDIS_REPLY_STRING) {
            continue;
        }
        std::string message{taken->str, taken->len};
        server.send({"MULTI"});
        for (const auto& out : given.outs) {
            server.send({"LPUSH", out, message});
        }
        server.send({"LREM", "pending", "-1", message});
        server.send({"EXEC"});
        for (std::size_t i = 0; i < given.outs.size() + 3; ++i) {
            server.receive();
        }
    }
}

} // namespace leat::bench
