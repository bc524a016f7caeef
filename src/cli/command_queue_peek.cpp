// queue peek and queue push: messages as they are.
#include "base/unicode.hpp"
#include "cli/command_queue.hpp"
#include "cli/filter.hpp"
#include "cli/numbers.hpp"
#include "cli/progress.hpp"
#include "cli/spots.hpp"
#include "cli/table.hpp"
#include "cli/visit.hpp"
#include "config/reader.hpp"
#include "config/write.hpp"
#include "message/base64.hpp"
#include "message/preview.hpp"
#include "store/queues.hpp"

#include <fstream>
#include <iostream>

namespace leat::cli {
namespace {

using boost::asio::awaitable;

struct peek_words {
    std::string queue;
    std::string redis;
    filter_words filters;
    std::int64_t count = 10;
    std::int64_t skip = 0;
    std::int64_t scan = 10'000;
    bool newest = false;
    bool raw = false;
    bool json = false;
};

struct seen_message {
    std::int64_t place = 0; // how many are older
    store::peeked_message what;
};

awaitable<std::int64_t> server_seconds(redis::link& server) {
    redis::command words{"TIME"};
    auto time = checked(co_await server.call(std::move(words)));
    auto texts = time.texts();
    co_return texts.empty() ? 0 : std::atoll(std::string{texts.front()}.c_str());
}

awaitable<void> peek_them(
    redis::link& server, const peek_words& words, std::vector<seen_message>& found, std::int64_t& length,
    std::int64_t& looked) {
    filter wanted{words.filters};
    auto now = co_await server_seconds(server);
    auto first = words.skip;
    if (words.newest) {
        auto there = checked(co_await store::peek(server, words.queue, 0, 0));
        first = std::max<std::int64_t>(0, there.length - words.skip - (wanted.any() ? words.scan : words.count));
    }
    bool enough = false;
    while (!enough && looked < words.scan) {
        auto page = checked(co_await store::peek(
            server, words.queue, first + looked, std::min<std::int64_t>(100, words.scan - looked)));
        length = page.length;
        for (auto& each : page.messages) {
            auto place = first + looked++;
            if (wanted.matches(each.message, each.story, now)) {
                found.push_back({place, std::move(each)});
            }
            enough = !words.newest && static_cast<std::int64_t>(found.size()) >= words.count;
            if (enough) {
                break;
            }
        }
        enough = enough || page.messages.empty();
    }
    if (words.newest) {
        std::ranges::reverse(found);
        if (static_cast<std::int64_t>(found.size()) > words.count) {
            found.resize(static_cast<std::size_t>(words.count));
        }
    }
}

config::value as_value(const seen_message& one) {
    using config::value;
    auto made = value::of_map();
    made.set("place", value::of_whole(one.place));
    made.set("size", value::of_whole(static_cast<std::int64_t>(one.what.message.size())));
    if (base::first_bad_byte(one.what.message) == std::string::npos) {
        made.set("message", value::of_text(one.what.message));
    } else {
        made.set("message", value::of_text(message::to_base64(one.what.message)));
        made.set("encoding", value::of_text("base64"));
    }
    if (!one.what.story.empty()) {
        config::problems none;
        auto none_of_it = [](std::string_view) { return std::optional<std::string>{}; };
        auto story = config::read_text(one.what.story, "story", config::syntax::json, none_of_it, none);
        made.set("story", story ? *story : value::of_text(one.what.story));
    }
    return made;
}

std::string text_of(const config::value& story, std::string_view name) {
    const auto* found = story.find(name);
    if (found == nullptr) {
        return "";
    }
    auto whole = found->to_whole();
    return whole ? std::to_string(*whole) : found->to_text().value_or("");
}

void print_messages(const std::vector<seen_message>& found) {
    bool any_story = std::ranges::any_of(found, [](const auto& each) { return !each.what.story.empty(); });
    std::vector<table::column> columns{{"PLACE", true}, {"SIZE", true}};
    if (any_story) {
        columns.push_back({"TRIES", true});
        columns.push_back({"REASON"});
    }
    columns.push_back({"MESSAGE"});
    table shown{columns};
    for (const auto& each : found) {
        std::vector<std::string> row{grouped(each.place), grouped(static_cast<std::int64_t>(each.what.message.size()))};
        if (any_story) {
            auto value = as_value(each);
            const auto* story = value.find("story");
            auto empty = config::value::of_map();
            const auto& known = story != nullptr && story->is_map() ? *story : empty;
            row.push_back(text_of(known, "attempts"));
            row.push_back(base::printable(text_of(known, "reason"), 60));
        }
        row.push_back(message::preview(each.what.message, 100));
        shown.add(std::move(row));
    }
    std::cout << shown.text();
}

void peek(const peek_words& words) {
    std::vector<seen_message> found;
    std::int64_t length = 0;
    std::int64_t looked = 0;
    [[maybe_unused]] filter complains_first{words.filters}; // before anything is asked
    visit(
        server_for(words.redis), [&](redis::link& server) { return peek_them(server, words, found, length, looked); });
    if (words.raw) {
        for (const auto& each : found) {
            std::cout << each.what.message << "\n";
        }
        return;
    }
    if (words.json) {
        std::vector<config::value> list;
        list.reserve(found.size());
        for (const auto& each : found) {
            list.push_back(as_value(each));
        }
        std::cout << config::to_json(config::value::of_list(std::move(list))) << "\n";
        return;
    }
    if (found.empty()) {
        std::cout
            << (length == 0 ? "the queue is empty\n"
                            : "no message matches, of " + grouped(looked) + " that were looked at\n");
        return;
    }
    print_messages(found);
    std::cout << grouped(static_cast<std::int64_t>(found.size())) << " of " << grouped(length) << "\n";
}

struct push_words {
    std::string queue;
    std::vector<std::string> messages;
    std::string file;
    std::string redis;
    bool whole = false;
    bool json = false;
};

// Reads messages and pushes them as they come, some at a time.
awaitable<void> push_lines(redis::link& server, const push_words& words, std::istream& from, std::int64_t& pushed) {
    std::vector<std::string> batch;
    std::size_t bytes = 0;
    std::string line;
    for (bool more = true; more;) {
        more = static_cast<bool>(std::getline(from, line));
        if (more) {
            bytes += line.size();
            batch.push_back(std::move(line));
        }
        if (!batch.empty() && (!more || batch.size() >= 1000 || bytes > (1U << 20U))) {
            auto count = static_cast<std::int64_t>(batch.size());
            auto answer = co_await store::push(server, words.queue, std::move(batch));
            if (!answer) {
                throw std::runtime_error{answer.error().text + " (" + std::to_string(pushed) + " were pushed before)"};
            }
            pushed += count;
            batch.clear();
            bytes = 0;
        }
    }
}

awaitable<void> push_them(redis::link& server, const push_words& words, std::int64_t& pushed) {
    if (!words.messages.empty()) {
        auto given = words.messages;
        checked(co_await store::push(server, words.queue, std::move(given)));
        pushed = static_cast<std::int64_t>(words.messages.size());
        co_return;
    }
    std::ifstream file;
    if (!words.file.empty()) {
        file.open(words.file, std::ios::binary);
        if (!file) {
            throw std::runtime_error{words.file + ": cannot be read"};
        }
    }
    std::istream& from = words.file.empty() ? std::cin : file;
    if (words.whole) {
        std::vector<std::string> one{std::string{std::istreambuf_iterator<char>{from}, {}}};
        checked(co_await store::push(server, words.queue, std::move(one)));
        pushed = 1;
    } else {
        co_await push_lines(server, words, from, pushed);
    }
}

} // namespace

void add_queue_peek(CLI::App& queue, program& /*shared*/) {
    auto words = std::make_shared<peek_words>();
    auto* command = queue.add_subcommand("peek", "Show messages of a queue without taking them, oldest first");
    command->add_option("QUEUE", words->queue, "The list")->required();
    command->add_option("--count,-n", words->count, "Most messages to show")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{100'000}))
        ->capture_default_str();
    command->add_option("--skip", words->skip, "Leave out so many at that end")->check(CLI::NonNegativeNumber);
    command->add_flag("--newest", words->newest, "From the other end, newest first");
    command->add_option("--scan", words->scan, "With filters: look at so many messages at most")
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
    command->add_option("QUEUE", words->queue, "The list")->required();
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
            std::cout << grouped(pushed) << (pushed == 1 ? " message" : " messages") << " pushed to " << words->queue
                      << "\n";
        }
    });
}

} // namespace leat::cli
