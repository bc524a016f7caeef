// queue return: what a dead program had in flight goes back.
#include "base/shown.hpp"
#include "cli/command_queue.hpp"
#include "cli/table.hpp"
#include "cli/visit.hpp"
#include "config/value.hpp"
#include "config/write.hpp"
#include "inspect/queues.hpp"
#include "store/return_pending.hpp"

#include <iostream>
#include <stdexcept>

namespace leat::cli {
namespace {

using base::shown_name;
using boost::asio::awaitable;

struct return_words {
    std::string pending;
    std::string source;
    std::string redis;
    bool dry_run = false;
    bool json = false;
};

void show(const return_words& words, std::int64_t returned, std::int64_t left) {
    if (words.json) {
        auto shown = config::value::of_map();
        shown.set("pending", config::value::of_text(words.pending));
        shown.set("in", config::value::of_text(words.source));
        shown.set("returned", config::value::of_whole(returned));
        shown.set("left", config::value::of_whole(left));
        std::cout << config::to_json(shown) << "\n";
    } else if (words.dry_run) {
        std::cout << left << " messages would go from " << shown_name(words.pending) << " back to "
                  << shown_name(words.source) << "\n";
    } else {
        std::cout << returned << " messages went from " << shown_name(words.pending) << " back to "
                  << shown_name(words.source) << "\n";
    }
}

// A batch at a time, each message whole in itself: whoever interrupts it finds every message in one of the two.
awaitable<void> return_them(redis::link& server, const return_words& words) {
    auto all = co_await inspect::count_pending(server, words.pending, words.source);
    std::int64_t returned = 0;
    auto left = all;
    while (!words.dry_run && left > 0 && returned < all) { // who still pushes there does not keep us for ever
        auto batch = co_await store::return_pending(server, words.pending, words.source);
        if (!batch) {
            throw std::runtime_error{batch.error().text + " (" + std::to_string(returned) + " were returned)"};
        }
        returned += batch->moved;
        left = batch->left;
        if (!words.json && returned / 100'000 != (returned - batch->moved) / 100'000) {
            std::cerr << returned << " of " << all << "\n";
        }
    }
    show(words, returned, left);
}

} // namespace

void add_queue_return(CLI::App& queue, program& /*shared*/) {
    auto words = std::make_shared<return_words>();
    auto* command = queue.add_subcommand("return", "Return messages that a dead program had in flight to their queue");
    command->footer(
        "They become the next to be taken, in their order. Make sure that no program is at work on PENDING: what it\n"
        "has in flight would be delivered twice, and so is what the dead one had already passed on.");
    command->add_option("PENDING", words->pending, "List that the program left them in")->required();
    command->add_option("IN", words->source, "List that they came from")->required();
    command->add_flag("--dry-run", words->dry_run, "Only count");
    command->add_flag("--json", words->json, "As JSON");
    command->add_option("--redis", words->redis, "Server of the queues; also REDIS_URL")->type_name("URL");
    command->callback([words] {
        if (words->pending.empty() || words->source.empty() || words->pending == words->source) {
            throw CLI::ValidationError{"PENDING IN", "must be the names of two different lists"};
        }
        visit(server_for(words->redis), [&](redis::link& server) { return return_them(server, *words); });
    });
}

} // namespace leat::cli
