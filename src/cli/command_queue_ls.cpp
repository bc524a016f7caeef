// queue ls: how the queues are.
#include "cli/command_queue.hpp"
#include "cli/queue_table.hpp"
#include "cli/visit.hpp"
#include "config/write.hpp"
#include "inspect/queues.hpp"

#include <iostream>

namespace leat::cli {
namespace {

using boost::asio::awaitable;

struct ls_words {
    std::vector<std::string> queues;
    std::string name_space;
    std::string redis;
    double interval = 1;
    bool json = false;
};

awaitable<void> look_twice(redis::link& server, const ls_words& words, std::vector<inspect::queue>& queues) {
    auto services = co_await inspect::list_services(server, words.name_space);
    queues = words.queues.empty() ? inspect::queues_of(services) : inspect::queues_named(words.queues, services);
    inspect::queue_watch watch;
    co_await watch.look(server, queues);
    if (words.interval > 0 && !queues.empty()) {
        co_await server.changed().wait_for(std::chrono::milliseconds{static_cast<int>(1000 * words.interval)});
        co_await watch.look(server, queues);
    }
}

} // namespace

void add_queue_ls(CLI::App& queue, program& shared) {
    auto words = std::make_shared<ls_words>();
    auto* command = queue.add_subcommand("ls", "List queues: depth, in flight, delayed, age, rate, who takes");
    command->footer(
        "DEPTH is what waits, IN FLIGHT what was taken and is not settled, over all pending queues, DELAYED what waits "
        "for\n"
        "another try. OLDEST is known of tracked and of dead messages. RATE is how the depth has changed, per second.\n"
        "CONSUMERS are instances of leat; +N dead: their leases have ended, and what they had in flight is not "
        "recovered yet.");
    command->add_option("QUEUE", words->queues, "Lists by name; else those of the registered services");
    command->add_option("--namespace", words->name_space, "Only services of this serviceNamespace");
    command->add_option("--interval", words->interval, "Seconds between the two looks; 0: look once, without a rate")
        ->check(CLI::Range(0.0, 60.0))
        ->capture_default_str();
    command->add_flag("--json", words->json, "As JSON");
    command->add_option("--redis", words->redis, "Server of the queues; also REDIS_URL")->type_name("URL");
    command->callback([&shared, words] {
        std::vector<inspect::queue> queues;
        visit(server_for(words->redis), [&](redis::link& server) { return look_twice(server, *words, queues); });
        for (const auto& each : queues) {
            if (!words->queues.empty() && !(each.wrong_type.empty() && each.trouble.empty())) {
                shared.exit = runtime::exit_code::failed;
            }
        }
        if (words->json) {
            std::cout << config::to_json(inspect::as_value(queues)) << "\n";
        } else if (queues.empty()) {
            std::cout << "no service is registered; name the queues: leat queue ls QUEUE ...\n";
        } else {
            std::cout << as_table(queues).text();
        }
    });
}

} // namespace leat::cli
