// inspect bridge: what a conversation waits for, and why.
#include "base/unicode.hpp"
#include "cli/bridge_lines.hpp"
#include "cli/ending.hpp"
#include "cli/live_screen.hpp"
#include "cli/program.hpp"
#include "cli/visit.hpp"
#include "config/write.hpp"
#include "inspect/trouble.hpp"
#include "store/bridge.hpp"

#include <boost/asio/this_coro.hpp>

#include <spdlog/fmt/fmt.h>

#include <unistd.h>

#include <iostream>

namespace leat::cli {
namespace {

using boost::asio::awaitable;
using namespace std::chrono_literals;

struct inspect_words {
    std::string conversation;
    std::string redis;
    std::string prefix = "bridge:queue:";
    std::int64_t most = 50;
    bool json = false;
    bool watch = false;
};

void print_lines(const std::vector<std::string>& lines) {
    for (const auto& each : lines) {
        std::cout << each << "\n";
    }
}

awaitable<void> show_once(redis::link& server, const inspect_words& words) {
    auto seen = co_await inspect::look_at_conversation(server, words.prefix, words.conversation, words.most);
    if (words.json) {
        std::cout << config::to_json(inspect::as_value(seen)) << "\n";
    } else {
        print_lines(lines_of(seen));
    }
}

// What is shown while the server is away as well.
struct picture {
    std::vector<std::string> lines;
    config::value content;
};

awaitable<picture> look(redis::link& server, const inspect_words& words) {
    picture made;
    try {
        auto seen = co_await inspect::look_at_conversation(server, words.prefix, words.conversation, words.most);
        made.lines = lines_of(seen);
        made.content = inspect::as_value(seen);
    } catch (const inspect::trouble& reason) {
        made.lines.push_back("no answer, trying again: " + base::printable(reason.what(), 1000));
        made.content.set("trouble", config::value::of_text(reason.what()));
    }
    co_return made;
}

awaitable<void> watch(redis::link& server, const inspect_words& words) {
    auto executor = co_await boost::asio::this_coro::executor;
    ending end{executor, server};
    std::optional<live_screen> screen;
    if (!words.json && ::isatty(STDOUT_FILENO) == 1) {
        screen.emplace();
        end.watch_keyboard();
    }
    auto title = fmt::format("leat inspect bridge  {}  (q to quit)", server.server().shown);
    while (!end.stop.requested()) {
        auto seen = co_await look(server, words);
        if (end.stop.requested()) {
            break;
        }
        if (!std::cout) {
            throw std::runtime_error{"standard output cannot be written"};
        }
        if (screen) {
            seen.lines.insert(seen.lines.begin(), {title, ""});
            screen->draw(std::move(seen.lines));
        } else if (words.json) {
            std::cout << config::to_json(seen.content, 0) << std::endl; // NOLINT(performance-avoid-endl): live
        } else {
            print_lines(seen.lines);
            std::cout << std::endl; // NOLINT(performance-avoid-endl): live
        }
        co_await end.stop.awake().wait_for(500ms);
    }
    co_await end.over();
}

} // namespace

void add_inspect(CLI::App& app, program& /*shared*/) {
    auto* inspect = app.add_subcommand("inspect", "Look inside: why a conversation of a bridge waits");
    inspect->require_subcommand(1);
    auto words = std::make_shared<inspect_words>();
    auto* bridge = inspect->add_subcommand("bridge", "What a conversation waits for, who sends, and all that is there");
    bridge->footer(
        "Changes nothing. Times are by the server's clock. A conversation of which nothing is known is no failure.\n"
        "With --watch in a pipe each picture is printed below the last; with --json it is one line.");
    bridge->add_option("CONVERSATION", words->conversation, "conversationId")->required();
    bridge->add_option("--prefix", words->prefix, "prefix of the bridge")->capture_default_str();
    bridge->add_option("--most", words->most, "Show so many requests, and responses, at most")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{100'000}))
        ->capture_default_str();
    bridge->add_flag("--json", words->json, "As JSON; times are milliseconds");
    bridge->add_flag("--watch", words->watch, "Look again and again, until q or Ctrl-C");
    bridge->add_option("--redis", words->redis, "Server of the bridge; also REDIS_URL")->type_name("URL");
    bridge->callback([words] {
        if (!store::is_bridge_id(words->conversation)) {
            throw CLI::ValidationError{"CONVERSATION", "an id is UTF-8, of 1 to 1024 bytes"};
        }
        auto work = words->watch ? &watch : &show_once;
        visit(server_for(words->redis), [&](redis::link& server) { return work(server, *words); });
    });
}

} // namespace leat::cli
