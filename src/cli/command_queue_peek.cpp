// queue peek and queue push: messages as they are.
#include "base/shown.hpp"
#include "cli/command_queue.hpp"
#include "cli/filter.hpp"
#include "cli/input.hpp"
#include "cli/table.hpp"
#include "cli/visit.hpp"
#include "config/write.hpp"
#include "inspect/details.hpp"
#include "inspect/peek.hpp"
#include "message/preview.hpp"
#include "store/queues.hpp"

#include <boost/asio/this_coro.hpp>

#include <spdlog/fmt/fmt.h>

#include <iostream>

namespace leat::cli {
namespace {

using base::grouped;
using base::short_time;
using base::shown_name;
using boost::asio::awaitable;

struct peek_words {
    inspect::peek_range range{.queue = "", .scan = 10'000};
    std::string redis;
    filter_words filters;
    bool raw = false;
    bool json = false;
};

// What matches is looked for among so many; without a filter whatever comes is found.
awaitable<void> peek_them(redis::link& server, const peek_words& words, const filter& wanted, inspect::peeking& seen) {
    auto range = words.range;
    range.scan = wanted.any() ? range.scan : 0;
    inspect::peek_filter matches = [&wanted](const store::peeked_message& one, std::int64_t now) {
        return wanted.matches(one.message, one.story, now);
    };
    seen = co_await inspect::peek(server, std::move(range), std::move(matches));
}

void print_messages(const inspect::peeking& seen) {
    const auto& found = seen.found;
    bool any_details = std::ranges::any_of(found, [](const auto& each) { return !each.what.story.empty(); });
    std::vector<table::column> columns{{"PLACE", true}, {"SIZE", true}};
    if (any_details) {
        columns.push_back({"DIED", true});
        columns.push_back({"TRIES", true});
        columns.push_back({"REASON"});
    }
    columns.push_back({"MESSAGE"});
    table shown{columns};
    for (const auto& each : found) {
        std::vector<std::string> row{grouped(each.place), grouped(static_cast<std::int64_t>(each.what.message.size()))};
        if (any_details) {
            auto details = inspect::read_details(each.what.story);
            row.push_back(short_time(inspect::age_of(details, seen.now)));
            row.push_back(shown_name(inspect::text_of(details, "attempts")));
            row.push_back(shown_name(inspect::text_of(details, "reason")));
        }
        row.push_back(message::preview(each.what.message, 100));
        shown.add(std::move(row));
    }
    std::cout << shown.text();
}

void tell_cut(const inspect::peeking& seen, const filter& wanted) {
    if (wanted.any() && seen.looked >= seen.scan && seen.looked < seen.length) {
        std::cerr << "looked at " << grouped(seen.looked) << " of " << grouped(seen.length)
                  << " messages; --scan looks further\n";
    }
}

void peek(const peek_words& words) {
    inspect::peeking seen;
    filter wanted{words.filters}; // complains before anything is asked
    visit(server_for(words.redis), [&](redis::link& server) { return peek_them(server, words, wanted, seen); });
    if (words.raw) {
        for (const auto& each : seen.found) {
            std::cout << each.what.message << "\n";
        }
    } else if (words.json) {
        std::cout << config::to_json(inspect::as_value(seen)) << "\n";
    } else if (seen.found.empty()) {
        std::cout
            << (seen.length == 0 ? "the queue is empty\n"
                                 : "no message matches, of " + grouped(seen.looked) + " that were looked at\n");
    } else {
        print_messages(seen);
        std::cout << grouped(static_cast<std::int64_t>(seen.found.size())) << " of " << grouped(seen.length) << "\n";
    }
    tell_cut(seen, wanted);
}

struct push_words {
    std::string queue;
    std::vector<std::string> messages;
    std::string file;
    std::string redis;
    bool whole = false;
    bool json = false;
};

awaitable<void> push_some(
    redis::link& server, const push_words& words, std::vector<std::string> some, std::int64_t& pushed) {
    auto count = static_cast<std::int64_t>(some.size());
    auto answer = co_await store::push(server, words.queue, std::move(some));
    if (!answer) {
        throw std::runtime_error{fmt::format(
            "{} ({} were pushed before{})", answer.error().text, grouped(pushed),
            answer.error().outcome_unknown ? fmt::format("; nobody knows of the next {}", grouped(count)) : "")};
    }
    pushed += count;
}

// Lines as they come: what is there is pushed before more is waited for.
awaitable<void> push_lines(redis::link& server, const push_words& words, input& from, std::int64_t& pushed) {
    std::string rest;
    for (bool more = true; more;) {
        auto part = co_await from.read();
        more = part.has_value();
        rest += part.value_or(rest.empty() || rest.ends_with('\n') ? "" : "\n");
        std::vector<std::string> lines;
        std::size_t begin = 0;
        for (auto end = rest.find('\n'); end != std::string::npos; end = rest.find('\n', begin)) {
            lines.push_back(rest.substr(begin, end - begin));
            begin = end + 1;
        }
        rest.erase(0, begin);
        for (std::size_t at = 0; at < lines.size(); at += 1000) {
            auto first = lines.begin() + static_cast<std::ptrdiff_t>(at);
            auto last = lines.begin() + static_cast<std::ptrdiff_t>(std::min(lines.size(), at + 1000));
            std::vector<std::string> some{std::make_move_iterator(first), std::make_move_iterator(last)};
            co_await push_some(server, words, std::move(some), pushed);
        }
    }
}

awaitable<void> push_them(redis::link& server, const push_words& words, std::int64_t& pushed) {
    if (!words.messages.empty()) {
        auto given = words.messages;
        co_await push_some(server, words, std::move(given), pushed);
        co_return;
    }
    auto executor = co_await boost::asio::this_coro::executor;
    input from{executor, words.file};
    if (!words.whole) {
        co_await push_lines(server, words, from, pushed);
        co_return;
    }
    std::vector<std::string> one{""};
    for (auto part = co_await from.read(); part; part = co_await from.read()) {
        one.front() += *part;
    }
    co_await push_some(server, words, std::move(one), pushed);
}

} // namespace

void add_queue_peek(CLI::App& queue, program& /*shared*/) {
    auto words = std::make_shared<peek_words>();
    auto* command = queue.add_subcommand("peek", "Show messages of a queue without taking them, oldest first");
    command->add_option("QUEUE", words->range.queue, "The list")->required()->check(said);
    command->add_option("--count,-n", words->range.count, "Most messages to show")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{100'000}))
        ->capture_default_str();
    command->add_option("--skip", words->range.skip, "Leave out so many at that end")
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000'000'000}));
    command->add_flag("--newest", words->range.newest, "From the other end, newest first");
    command->add_option("--scan", words->range.scan, "With filters: look at so many messages at most")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{100'000'000}))
        ->capture_default_str();
    add_filter_options(*command, words->filters);
    command->add_flag("--raw", words->raw, "The messages as they are, each with a newline after it");
    command->add_flag("--json", words->json, "As JSON; what is not UTF-8 in base64");
    command->add_option("--redis", words->redis, "Server of the queue; also REDIS_URL")->type_name("URL");
    command->callback([words] { peek(*words); });
}

void add_queue_push(CLI::App& queue, program& /*shared*/) {
    auto words = std::make_shared<push_words>();
    auto* command =
        queue.add_subcommand("push", "Put messages into a queue: arguments, or the lines of standard input");
    command->add_option("QUEUE", words->queue, "The list")->required()->check(said);
    command->add_option("MESSAGE", words->messages, "Messages; else each line of standard input is one");
    command->add_option("--file", words->file, "Instead of standard input")->type_name("FILE");
    command->add_flag("--whole", words->whole, "All of the input is one message, as it is");
    command->add_flag("--json", words->json, "As JSON");
    command->add_option("--redis", words->redis, "Server of the queue; also REDIS_URL")->type_name("URL");
    command->callback([words] {
        if (!words->messages.empty() && (words->whole || !words->file.empty())) {
            throw CLI::ValidationError{"MESSAGE", "either messages, or --file and --whole"};
        }
        std::int64_t pushed = 0;
        visit(server_for(words->redis), [&](redis::link& server) { return push_them(server, *words, pushed); });
        if (words->json) {
            auto shown = config::value::of_map();
            shown.set("queue", config::value::of_text(words->queue));
            shown.set("pushed", config::value::of_whole(pushed));
            std::cout << config::to_json(shown) << "\n";
        } else {
            std::cout << grouped(pushed) << (pushed == 1 ? " message" : " messages") << " pushed to "
                      << shown_name(words->queue) << "\n";
        }
    });
}

} // namespace leat::cli
