#include "store/queues.hpp"

#include "redis/digest.hpp"
#include "store/keys.hpp"
#include "store/run_verb.hpp"

namespace leat::store {

boost::asio::awaitable<redis::result<look_at_queue_outcome>> look_at_queue(
    redis::link& server, std::string queue, const std::string& pending, std::vector<std::string> namespaces) {
    taking_keys keys{pending};
    for (auto& each : namespaces) {
        each = message_keys{each}.prefix();
    }
    look_at_queue_call given{
        .queue = std::move(queue),
        .pending = pending,
        .owners = keys.owners(),
        .delayed = keys.delayed(),
        .message_prefixes = std::move(namespaces)};
    return run_verb<look_at_queue_outcome>(server, std::move(given));
}

boost::asio::awaitable<redis::result<show_message_outcome>> show_message(
    redis::link& server, const std::string& name_space, std::string id, std::string xid) {
    show_message_call given{.keys = message_keys{name_space}, .id = std::move(id), .xid = std::move(xid)};
    return run_verb<show_message_outcome>(server, std::move(given));
}

boost::asio::awaitable<redis::result<retry_now_outcome>> retry_now(
    redis::link& server, const std::string& name_space, const std::string& id) {
    retry_now_call given{.keys = message_keys{name_space}, .id = id};
    return run_verb<retry_now_outcome>(server, std::move(given));
}

boost::asio::awaitable<redis::result<redrive_outcome>> redrive(
    redis::link& server, const std::string& dead, std::string message) {
    redrive_call given{.dead = dead, .story = story_of(dead), .db = server.server().db, .message = std::move(message)};
    return run_verb<redrive_outcome>(server, std::move(given));
}

boost::asio::awaitable<redis::result<peeked>> peek(
    redis::link& server, std::string list, std::int64_t first, std::int64_t most, std::int64_t largest) {
    peek_call given{
        .list = list,
        .story = story_of(list),
        .first = first,
        .max_count = most,
        .max_bytes = 1 << 20,
        .largest = largest};
    auto answer = co_await run_verb<peek_outcome>(server, std::move(given));
    if (!answer) {
        co_return answer.error();
    }
    peeked found{answer->length, largest, std::move(answer->shown)};
    for (const auto& each : found.messages) {
        found.largest = std::max(found.largest, static_cast<std::int64_t>(each.message.size()));
    }
    co_return found;
}

chosen_message choose(std::string_view message, bool meant) {
    return {.digest = redis::sha1_hex(message), .meant = meant};
}

std::string report_of(const std::string& id, const std::string& out) {
    return out.empty() ? id : id + ":" + out;
}

boost::asio::awaitable<redis::result<std::int64_t>> push(
    redis::link& server, std::string list, std::vector<std::string> messages) {
    auto key = list;
    redis::command words{"LPUSH", std::move(list)};
    words.insert(words.end(), std::make_move_iterator(messages.begin()), std::make_move_iterator(messages.end()));
    auto answer = co_await server.call(std::move(words));
    if (!answer) {
        auto failed = answer.error();
        failed.text += " key=" + key;
        co_return failed;
    }
    co_return answer->whole();
}

} // namespace leat::store
