#include "base/random_name.hpp"
#include "redis/digest.hpp"
#include "routing/asking.hpp"
#include "routing/processors.hpp"
#include "store/id_mark.hpp"
#include "store/scripts.hpp"
#include "taking/work_loop.hpp"

namespace leat::routing {
namespace {

struct dedupe_settings : described {
    std::string prefix;
    std::int64_t window = 3600;
    std::optional<drop_queue> queue;
};

const config::spec<dedupe_settings>& spec() {
    using settings = dedupe_settings;
    static const config::spec<settings> made{
        "DedupeFilter",
        "Lets each message through once, by its own id.",
        R"(The id is that of tracking: the message itself when it is a number, `meta.id` of JSON, else the SHA1 of the message.
An id that was done within `window`, or is at work elsewhere, is not let through again: the message ends here, without a reply,
and is counted in the metric `duplicate:<name>`; with `queue.drop` it is pushed there as it is.

A message that fails gives its id free again. One that was given back, or whose instance has died, is let through when it is
delivered again: a mark names the lease of the instance that is at work with the message, and counts only as long as that is
there. Nothing is lost to this filter. The marks are keys `<prefix><id>`; that a message is done is written in the same step as its reply.
)",
        {description_field(),
         config::field("prefix", &settings::prefix, "What the names of the keys begin with.")
             .required()
             .not_empty()
             .example("orders:seen:"),
         config::field("window", &settings::window, "How long an id is remembered.").range(1, 31'536'000).unit("s"),
         config::group("queue", &settings::queue, "Lists.", drop_fields("List for what came again.", "orders:again"))},
        {{"within a day", "prefix: 'orders:seen:'\nwindow: 86400\n"}}};
    return made;
}

std::string id_of(const content& message) {
    const auto& text = message.text();
    if (!text.empty() && text.find_first_not_of("0123456789") == std::string::npos) {
        return text;
    }
    if (text.starts_with('{') && message.json() != nullptr) {
        auto said = message::asker_of(*message.json());
        if (!said.id.empty()) {
            return said.id;
        }
    }
    return redis::sha1_hex(text);
}

class dedupe_filter final : public processor {
public:
    dedupe_filter(std::string name, const dedupe_settings& settings, const processor_context& context)
        : processor{std::move(name)}
        , context_{context}
        , prefix_{settings.prefix}
        , window_{settings.window}
        , metric_{"duplicate:" + this->name()} {
        if (settings.queue) {
            drop_ = settings.queue->drop;
        }
    }

    step forward(passage& on) override {
        // It holds until the message must have ended, and whoever recovers it has begun.
        auto seconds = on.meta.timeout / 1000 + 120;
        store::reserve_id_call call{
            .mark = store::id_mark_key(prefix_, id_of(on.message)),
            .reservation = reservation_of(on.meta),
            .again = on.meta.delivery > 1,
            .seconds = seconds};
        context_.spawn("reserve an id", reserve(on.number(), std::move(call)));
        return step::wait;
    }

    void back(passage& on, std::int64_t /*note*/) override {
        on.writes.push_back(
            {.to = store::id_mark_key(prefix_, id_of(on.message)), .text = store::done_mark, .keep = window_});
        give_free(on);
    }

    // Nobody knows whether it was reserved.
    void left(std::uint64_t number) override {
        if (auto* on = context_.passages.find(number)) {
            give_free(*on);
        }
    }

private:
    // The lease is on the same server, because a filter's marks are written by the script that settles; a message
    // without one is taken to be at work until the mark expires.
    std::string reservation_of(const meta& of) const {
        return store::begun_mark(instance_ + "-" + std::to_string(of.message_id), of.lease.get());
    }

    void give_free(passage& on) const {
        on.writes.push_back(
            {.to = store::id_mark_key(prefix_, id_of(on.message)),
             .text = reservation_of(on.meta),
             .if_it_is = write::when::failed,
             .keep = -1});
    }

    boost::asio::awaitable<void> reserve(std::uint64_t number, store::reserve_id_call given) {
        if (!server_) {
            server_.emplace(context_.server_of(context_.server, "messages cannot be told from repeated ones"));
        }
        std::function<boost::asio::awaitable<redis::result<store::reserve_id_outcome>>()> call = [this, &given] {
            return store::reserve_id(server_->calls(), given);
        };
        auto answer = co_await ask_while_waiting(*server_, context_, number, std::move(call));
        auto* on = context_.passages.find(number);
        if (!answer || on == nullptr) {
            co_return;
        }
        if (answer->state == store::id_reservation::reserved) {
            context_.passages.go_on(number, engine::clock::now());
            co_return;
        }
        if (answer->state == store::id_reservation::lease_lost) {
            outcome ended = message::error{"GivenUp", "the message is another's by now", {}};
            context_.passages.resume(number, std::move(ended), engine::clock::now());
            co_return;
        }
        context_.counts.add(metric_, 1, on->meta.source());
        if (drop_) {
            on->writes.push_back({.to = *drop_, .text = on->message.text()});
        }
        context_.passages.resume(number, std::monostate{}, engine::clock::now());
    }

    processor_context context_;
    std::optional<redis::server> server_;        // from the first message on
    std::string instance_ = base::random_name(); // so that a reservation is known to be ours
    std::string prefix_;
    std::int64_t window_;
    std::string metric_;
    std::optional<std::string> drop_;
};

} // namespace

processor_type dedupe_filter_type() {
    return processor_type_of<dedupe_settings>(
        {.spec = &spec(),
         .is = role::filter,
         .make = [](std::string name, const dedupe_settings& settings, const processor_context& context,
                    const find_route&) { return std::make_unique<dedupe_filter>(std::move(name), settings, context); },
         .needs_redis = [](const dedupe_settings&) { return true; }});
}

} // namespace leat::routing
