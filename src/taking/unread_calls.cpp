#include "taking/unread_calls.hpp"

#include "store/scripts.hpp"

namespace leat::taking {

using clock = taker::clock;

called unread_calls::fetch() {
    store::find_held_call given{
        .keys = ours_.keys, .id = ours_.decides.id(), .token = ours_.token(), .held = ours_.decides.unread().name};
    auto found = co_await store::find_held(ours_.link(), std::move(given));
    if (!found) {
        ours_.decides.fetch_failed(found.error().outcome_unknown, clock::now());
        co_return found.error();
    }
    if (found->state == store::leased_call::lease_lost) {
        co_return came_of::lease_lost;
    }
    std::optional<std::string> message;
    if (!found->message.empty()) {
        message = std::move(found->message.front());
    }
    ours_.decides.fetched(std::move(message), clock::now());
    co_return came_of::done;
}

called unread_calls::bury() {
    auto name = ours_.decides.unread().name;
    store::bury_call given{
        .keys = ours_.keys,
        .dead = ours_.what.dead,
        .id = ours_.decides.id(),
        .token = ours_.token(),
        .held = name,
        .source = ours_.what.in,
        .service = ours_.counts.service(),
        .name = "TooLarge",
        .reason = "Redis closes the connection when this message is read",
        .attempts = ours_.decides.patience_with_losses()};
    auto buried = co_await store::bury(ours_.link(), std::move(given));
    if (!buried) {
        ours_.decides.fetch_failed(false, clock::now());
        co_return buried.error();
    }
    if (buried->state == store::leased_call::lease_lost) {
        co_return came_of::lease_lost;
    }
    ours_.decides.buried();
    ours_.counts.recovered(0, buried->buried);
    ours_.log->error(
        "a message was given up unseen: Redis closes the connection when it is read in={} dead={} message={}",
        ours_.what.in, ours_.what.dead, name);
    co_return came_of::done;
}

} // namespace leat::taking
