#include "connection.hpp"
#include "modes.hpp"
#include "store/keys.hpp"
#include "store/scripts.hpp"
#include "store/transfer.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <thread>

namespace leat::bench {
namespace {

void rest() {
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
}

std::vector<std::string> eval_words(const redis::script_call& made) {
    std::vector<std::string> all{"EVALSHA", std::string{made.what->sha1}, std::to_string(made.keys.size())};
    all.insert(all.end(), made.keys.begin(), made.keys.end());
    all.insert(all.end(), made.arguments.begin(), made.arguments.end());
    return all;
}

// `depth` calls of it are on the way all the time; its answer is a number, or begins with one: what was done.
void repeat(connection& server, const std::vector<std::string>& call, int depth) {
    for (int i = 0; i < depth; ++i) {
        server.send(call);
    }
    for (;;) {
        auto done = server.receive();
        if (done->type == REDIS_REPLY_ERROR) {
            throw std::runtime_error{done->str};
        }
        auto many = done->type == REDIS_REPLY_ARRAY ? done->element[0]->integer : done->integer;
        if (many == 0) {
            rest();
        }
        server.send(call);
    }
}

template <class Call>
void repeat_script(const words& given, Call call) {
    connection server{given.port};
    auto made = store::make_call(std::move(call));
    server.call({"SCRIPT", "LOAD", std::string{made.what->text}});
    repeat(server, eval_words(made), given.depth);
}

} // namespace

void run_script(const words& given) {
    auto bounds = store::bounds_for(given.outs.size());
    repeat_script(
        given, store::transfer_call{
                   .source = given.in,
                   .outs = given.outs,
                   .max_count = std::min<std::int64_t>(bounds.count, given.batch),
                   .max_bytes = bounds.bytes,
                   .largest = 100});
}

void run_tracked(const words& given) {
    auto bounds = store::bounds_for_tracked(given.outs.size());
    repeat_script(
        given, store::transfer_tracked_call{
                   .keys = store::message_keys{"ns"},
                   .source = given.in,
                   .outs = given.outs,
                   .max_count = std::min<std::int64_t>(bounds.count, given.batch),
                   .max_bytes = bounds.bytes,
                   .largest = 100,
                   .service = 1,
                   .timeout = 3600,
                   .expire = 7200,
                   .capacity = 100'000'000});
}

void run_complete(const words& given) {
    store::message_keys keys{"ns"};
    repeat_script(given, store::complete_call{.keys = keys, .done = keys.done(), .remember = 60, .max_count = 500});
}

void run_file(const words& given) {
    std::ifstream file{given.file};
    std::string text{std::istreambuf_iterator<char>{file}, {}};
    connection server{given.port};
    auto hash = server.call({"SCRIPT", "LOAD", text});
    if (hash->type == REDIS_REPLY_ERROR) {
        throw std::runtime_error{hash->str};
    }
    std::vector<std::string> call{"EVALSHA", hash->str, std::to_string(given.outs.size() + 1), given.in};
    call.insert(call.end(), given.outs.begin(), given.outs.end());
    call.push_back(std::to_string(given.batch));
    repeat(server, call, given.depth);
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
