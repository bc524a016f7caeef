// Messages that stand still: claimed and never sent, or blocked.
#include "ids.hpp"
#include "instance.hpp"
#include "ledger.hpp"

#include <algorithm>

namespace leat::bench {

using boost::asio::awaitable;
using bridge::send_outcome;
using store::bridge_state;
using namespace std::chrono_literals;

namespace {

constexpr int together = 1000; // messages on their way

class standing {
public:
    standing(const words& given, bool blocked)
        : given_{given}
        , blocked_{blocked}
        , inside_{given, tasks()} {}

    void run() {
        inside_.run([this] { return main(); });
    }

private:
    bridge::memory_queue_manager::tasks tasks() {
        bridge::memory_queue_manager::tasks made;
        made.execute = [this](const store::bridge_claim&, clock::time_point) { return send(); };
        return made;
    }

    awaitable<send_outcome> send() {
        ++sending_;
        co_await inside_.rest(1h);
        send_outcome made;
        co_return made;
    }

    awaitable<std::string> ask(std::string conversation) {
        bridge::request_info info;
        info.origin = origin;
        info.conversation_id = std::move(conversation);
        info.request_id = uuid();
        auto id = info.request_id;
        auto done = co_await inside_.sync().create_conversation_register(std::move(info));
        if (!done) {
            give_up(done.error().text);
        }
        co_return id;
    }

    awaitable<void> one(std::size_t number) {
        bridge::response_info info;
        info.origin = origin;
        info.conversation_id = uuid();
        if (blocked_) {
            co_await ask(info.conversation_id); // nobody answers it
        }
        info.request_id = co_await ask(info.conversation_id);
        info.response_id = uuid();
        info.task_item = body(number, given_.size);
        auto accepted = co_await inside_.manager().respond(std::move(info));
        auto wanted = blocked_ ? bridge_state::wait_request : bridge_state::claimed;
        if (!accepted || accepted->state != wanted) {
            give_up("a message does not stand as it should");
        }
        --open_;
        ++stood_;
    }

    awaitable<void> main() {
        auto all = static_cast<std::size_t>(given_.count);
        for (std::size_t i = 0; i < all; ++i) {
            ++open_;
            inside_.spawn(one(i));
            while (open_ >= together) {
                co_await inside_.rest(100us);
            }
        }
        while (stood_ < all || (!blocked_ && sending_ < all)) {
            co_await inside_.rest(1ms);
        }
        std::puts("\"ready\"");
        std::fflush(stdout);
        co_await inside_.rest(1h);
    }

    words given_;
    bool blocked_;
    int open_ = 0;
    std::size_t stood_ = 0;
    std::size_t sending_ = 0;
    instance inside_;
};

} // namespace

void hold(const words& given) {
    standing{given, false}.run();
}

void block(const words& given) {
    standing{given, true}.run();
}

} // namespace leat::bench
