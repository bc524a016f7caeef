#include "ids.hpp"
#include "instance.hpp"
#include "ledger.hpp"
#include "store/keys.hpp"

#include <unistd.h>

#include <unordered_map>

namespace leat::bench {

using boost::asio::awaitable;
using bridge::send_outcome;
using namespace std::chrono_literals;

namespace {

constexpr auto between = 3ms; // two messages, so that each has its own date

// Responses that can go at a date, each in a conversation of its own, and how much later than that they are sent.
class dated {
public:
    dated(const words& given, bool by_expiry)
        : given_{given}
        , by_expiry_{by_expiry}
        , inside_{given, tasks()} {}

    void run() {
        inside_.run([this] { return measure(); });
    }

private:
    bridge::memory_queue_manager::tasks tasks() {
        bridge::memory_queue_manager::tasks made;
        made.execute = [this](store::bridge_claim what, clock::time_point) { return send(std::move(what)); };
        return made;
    }

    awaitable<send_outcome> send(store::bridge_claim what) {
        auto now = instance::wall();
        send_outcome made;
        if (!by_expiry_ && what.attempt == 1) {
            made.how = store::bridge_sending::recoverable;
            made.detail = "busy";
            inside_.spawn(read_retry(what.ids));
        } else {
            late_.push_back(now - dates_.at(what.ids.conversation_id));
        }
        co_return made;
    }

    awaitable<void> read_retry(message::min_message_info ids) {
        co_await inside_.rest(std::chrono::milliseconds{given_.backoff / 2}); // the failure is written down meanwhile
        redis::command words{"HGET", store::bridge_keys{prefix}.response(ids.response_id), "awaitedTo"};
        auto date = co_await inside_.ask_whole(std::move(words));
        dates_[ids.conversation_id] = static_cast<double>(date);
    }

    awaitable<void> ask(std::string conversation, std::string request) {
        bridge::request_info info;
        info.origin = origin;
        info.conversation_id = std::move(conversation);
        info.request_id = std::move(request);
        auto done = co_await inside_.sync().create_conversation_register(std::move(info));
        if (!done) {
            give_up(done.error().text);
        }
    }

    awaitable<void> one() {
        auto conversation = uuid();
        auto silent = uuid(); // nobody answers it
        auto request = uuid();
        if (by_expiry_) {
            co_await ask(conversation, silent);
            redis::command words{"PEXPIRETIME", store::bridge_keys{prefix}.request(silent)};
            auto date = co_await inside_.ask_whole(std::move(words));
            dates_[conversation] = static_cast<double>(date);
        }
        co_await ask(conversation, request);
        bridge::response_info info;
        info.origin = origin;
        info.conversation_id = conversation;
        info.request_id = request;
        info.response_id = uuid();
        info.task_item = body(0, given_.size);
        auto accepted = co_await inside_.manager().respond(std::move(info));
        if (!accepted) {
            give_up(accepted.error().text);
        }
    }

    awaitable<void> measure() {
        await_go();
        auto all = static_cast<std::size_t>(given_.count);
        for (std::size_t i = 0; i < all; ++i) {
            inside_.spawn(one());
            co_await inside_.rest(between);
        }
        auto until = clock::now() + 30s;
        while (late_.size() < all && clock::now() < until) {
            co_await inside_.rest(1ms);
        }
        tell((late_.size() == all ? "\"ok\": true, " : "\"ok\": false, ") + percentiles(late_));
        ::pause();
    }

    words given_;
    bool by_expiry_;
    std::unordered_map<std::string, double> dates_; // by conversation
    std::vector<double> late_;
    instance inside_;
};

} // namespace

void measure_expiry(const words& given) {
    dated{given, true}.run();
}

void measure_backoff(const words& given) {
    dated{given, false}.run();
}

} // namespace leat::bench
