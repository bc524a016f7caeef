// The library of the bridge inside a program of your own: example_bridge [redis://localhost:6379]
//
// A user asks two questions. The bot answers the second first; the program sends the answers in the order of the
// questions. The client is busy once, so the first answer is tried again, and the second waits for it.
#include "bridge/memory_queue_manager.hpp"
#include "redis/link.hpp"
#include "redis/listener.hpp"

#include <boost/asio/io_context.hpp>

#include <iostream>

namespace {

using namespace leat;
using namespace std::chrono_literals;
using boost::asio::awaitable;
using bridge::memory_queue_manager;
using bridge::send_outcome;

// What would be an HTTP call to WhatsApp. It must be over by the deadline.
awaitable<send_outcome> send(store::bridge_claim what, memory_queue_manager::clock::time_point /*deadline*/) {
    static bool busy = true;
    if (std::exchange(busy, false)) {
        std::cout << "the client is busy: " << what.ids.response_id << std::endl;
        co_return send_outcome{store::bridge_sending::recoverable, "busy", 0ms};
    }
    std::cout << "sent " << what.ids.response_id << " " << what.task << " (attempt " << what.attempt << ")"
              << std::endl;
    co_return send_outcome{};
}

struct program {
    explicit program(const std::string& url)
        : log{base::create_log("example")}
        , tasks{loop.get_executor(), log} {
        redis::link_options options;
        options.server = redis::parse_url(url).value();
        options.client_name = "example";
        options.log = log;
        link = redis::create_link(loop.get_executor(), options);
        listener = std::make_unique<redis::listener>(loop.get_executor(), options);
        memory_queue_manager::options how;
        how.setup.owner = "example";
        how.setup.prefix = "example:bridge:";
        how.rules.retry_base = 300; // milliseconds before the first retry
        queue = std::make_unique<memory_queue_manager>(
            loop.get_executor(), *link, *listener, log, std::move(how), memory_queue_manager::tasks{&send, {}});
    }

    awaitable<void> talk() {
        while (!link->connected()) {
            co_await link->changed().wait_for(1s);
        }
        bridge::request_info question{
            .origin = "whatsapp", .conversation_id = "c1", .request_id = "q1", .corr = "", .request_timestamp = 0};
        co_await queue->sync().create_conversation_register(question);
        question.request_id = "q2";
        co_await queue->sync().create_conversation_register(question);

        bridge::response_info answer{
            .origin = "whatsapp",
            .conversation_id = "c1",
            .request_id = "q2",
            .response_id = "a2",
            .task_item = "second answer",
            .corr = "",
            .response_timestamp = 0,
            .more = false};
        auto waits = co_await queue->respond(answer);
        std::cout << "a2: " << store::to_string(waits->state) << std::endl; // for q1, which has no answer yet
        answer.request_id = "q1";
        answer.response_id = "a1";
        answer.task_item = "first answer";
        auto goes = co_await queue->respond(answer);
        std::cout << "a1: " << store::to_string(goes->state) << std::endl;

        std::optional<bridge::min_message_info> first;
        do { // until nothing of the conversation is left
            co_await link->changed().wait_for(50ms);
            first = (co_await queue->sync().get_first_conversation_message("c1")).value();
        } while (first);
        queue->stop();
    }

    awaitable<void> run() {
        tasks.spawn("talk", talk());
        co_await queue->run();
        link->stop();
        listener->stop();
    }

    boost::asio::io_context loop{1};
    base::log_ptr log;
    base::task_group tasks;
    std::unique_ptr<redis::link> link;
    std::unique_ptr<redis::listener> listener;
    std::unique_ptr<memory_queue_manager> queue;
};

} // namespace

int main(int count, char** words) {
    program one{count > 1 ? words[1] : "redis://localhost:6379"};
    one.tasks.spawn("link", one.link->run());
    one.tasks.spawn("listener", one.listener->run());
    one.tasks.spawn("bridge", one.run());
    one.loop.run();
}
