// queue move, purge and redrive: what is done to many messages, or to some of many.
#include "base/shown.hpp"
#include "base/unicode.hpp"
#include "cli/command_queue.hpp"
#include "cli/filter.hpp"
#include "cli/input.hpp"
#include "cli/program.hpp"
#include "cli/progress.hpp"
#include "cli/table.hpp"
#include "cli/visit.hpp"
#include "config/write.hpp"
#include "inspect/peek.hpp"
#include "store/keys.hpp"
#include "store/queues.hpp"

#include <spdlog/fmt/fmt.h>

#include <unistd.h>

#include <iostream>

namespace leat::cli {
namespace {

using base::grouped;
using base::shown_name;
using boost::asio::awaitable;

struct filter_command_words {
    std::string action; // of the script: move, delete, redrive
    std::string past;   // of what was done, for people
    std::string list;
    std::string target; // empty: none
    std::string redis;
    filter_words filters;
    std::int64_t count = 0; // most messages to do it to; 0: all
    bool dry_run = false;
    bool yes = false;
    bool json = false;
};

struct filtered {
    std::int64_t length = 0;  // when it began
    std::int64_t matched = 0; // that it is about
    std::int64_t done = 0;
    std::int64_t homeless = 0;
    std::string reason;     // of the first homeless
    std::int64_t gone = 0;  // somebody else took them meanwhile
    bool refused = false;   // by the person who was asked
    bool needs_yes = false; // nobody could be asked
};

class queue_filter {
public:
    queue_filter(redis::link& server, const filter_command_words& words)
        : server_{server}
        , words_{words}
        , wanted_{words.filters}
        , front_{server, words.list} {}

    awaitable<filtered> run() {
        now_ = co_await inspect::server_seconds(server_);
        seen_.length = co_await inspect::length_of(server_, words_.list);
        if (!words_.target.empty()) {
            co_await inspect::length_of(server_, words_.target); // refuses what is no list
        }
        if (wanted_.any()) {
            co_await count();
        } else {
            seen_.matched = words_.count > 0 ? std::min(words_.count, seen_.length) : seen_.length;
        }
        if (words_.dry_run || seen_.matched == 0) {
            co_return seen_;
        }
        bool go_on = co_await confirmed();
        if (go_on) {
            co_await act();
        }
        co_return seen_;
    }

private:
    awaitable<void> count() {
        progress shown{"looked at", seen_.length};
        inspect::count_range range{.queue = words_.list, .scan = seen_.length, .most = words_.count};
        std::function<bool(const store::peeked_message&)> wanted = [this](const auto& each) { return is_wanted(each); };
        std::function<void(std::int64_t)> looked = [&shown](std::int64_t number) { shown.at(number); };
        seen_.matched =
            co_await inspect::count_messages(server_, std::move(range), std::move(wanted), std::move(looked));
        shown.end();
    }

    bool is_wanted(const store::peeked_message& one) const { return wanted_.matches(one.message, one.story, now_); }

    awaitable<bool> confirmed() {
        if (words_.action != "delete" || words_.yes) {
            co_return true;
        }
        auto what = fmt::format("{} of {} messages", grouped(seen_.matched), grouped(seen_.length));
        if (::isatty(STDIN_FILENO) != 1) {
            seen_.needs_yes = true;
            std::cerr << "leat: " << what
                      << " would be deleted, for ever; say --yes to do it, --dry-run to count only\n";
            co_return false;
        }
        auto question = "Delete " + what + " of " + shown_name(words_.list) + ", for ever?";
        bool confirmed = co_await is_confirmed(std::move(question));
        seen_.refused = !confirmed;
        co_return !seen_.refused;
    }

    // As many as there were when it began, so that who still pushes does not keep us for ever. With filters it is
    // always a whole round, so that what is kept is in its order again.
    awaitable<void> act() {
        bool filters = wanted_.any();
        progress shown{filters ? "looked at" : words_.past, filters ? seen_.length : seen_.matched};
        std::int64_t looked = 0;
        auto all = filters ? seen_.length : seen_.matched;
        while (looked < all) {
            auto call = make_call();
            call.max_count = std::min(call.max_count, all - looked);
            if (filters) {
                co_await match(call);
                if (call.chosen.empty()) {
                    break;
                }
            }
            auto answer = co_await store::filter_queue(server_, std::move(call));
            if (!answer) {
                throw std::runtime_error{fmt::format(
                    "{} ({} were {} before{})", answer.error().text, grouped(seen_.done), words_.past,
                    answer.error().outcome_unknown ? "; nobody knows of some more" : "")};
            }
            looked += answer->looked;
            seen_.done += answer->done;
            seen_.homeless += answer->homeless;
            if (!answer->reasons.empty() && seen_.reason.empty()) {
                seen_.reason = server_.masked(answer->reasons.front());
            }
            if (answer->looked == 0) {
                break; // somebody else has emptied it
            }
            seen_.gone += answer->gone;
            shown.at(looked);
        }
        seen_.gone = std::max(seen_.gone, filters ? 0 : all - looked);
        shown.end();
    }

    store::filter_queue_call make_call() const {
        return {
            .list = words_.list,
            .story = store::story_of(words_.list),
            .target = words_.target.empty() ? words_.list : words_.target,
            .action = words_.action,
            .max_count = 200, // some milliseconds
            .db = server_.server().db};
    }

    awaitable<void> match(store::filter_queue_call& call) {
        auto page = co_await front_.read(0, call.max_count);
        auto left = seen_.matched - seen_.done - seen_.homeless;
        for (const auto& each : page) {
            bool meant = left > 0 && is_wanted(each);
            left -= meant ? 1 : 0;
            call.chosen.push_back(store::choose(each.message, meant));
        }
    }

    redis::link& server_;
    const filter_command_words& words_;
    filter wanted_;
    inspect::page_reader front_; // of the list, where the script works
    std::int64_t now_ = 0;
    filtered seen_;
};

awaitable<void> filter_queue(redis::link& server, const filter_command_words& words, filtered& seen) {
    queue_filter work{server, words};
    seen = co_await work.run();
}

void show(const filter_command_words& words, const filtered& seen) {
    if (words.json) {
        using config::value;
        auto shown = value::of_map();
        shown.set("queue", value::of_text(words.list));
        if (!words.target.empty()) {
            shown.set("to", value::of_text(words.target));
        }
        shown.set("dryRun", value::of_boolean(words.dry_run));
        shown.set("length", value::of_whole(seen.length));
        shown.set("matched", value::of_whole(seen.matched));
        shown.set(words.past, value::of_whole(seen.done));
        shown.set("kept", value::of_whole(seen.homeless));
        shown.set("gone", value::of_whole(seen.gone));
        if (!seen.reason.empty()) {
            shown.set("reason", value::of_text(base::printable(seen.reason, 1000)));
        }
        std::cout << config::to_json(shown) << "\n";
    } else if (seen.refused || seen.needs_yes) {
        std::cout << "nothing was changed\n";
    } else if (words.dry_run) {
        std::cout << grouped(seen.matched) << " of " << grouped(seen.length) << " messages of "
                  << shown_name(words.list) << " would be " << words.past << "\n";
    } else {
        std::cout << grouped(seen.done) << " of " << grouped(seen.length) << " messages of " << shown_name(words.list)
                  << " were " << words.past << "\n";
    }
    if (seen.homeless > 0) {
        std::cerr << grouped(seen.homeless) << " were kept: " << base::printable(seen.reason, 1000) << "\n";
    }
    if (seen.gone > 0) {
        std::cerr << "somebody else took " << grouped(seen.gone) << " meanwhile\n";
    }
}

void filter_queue(program& shared, const filter_command_words& words) {
    if (words.list.empty() || words.list == words.target) {
        throw CLI::ValidationError{"QUEUE", "must be the names of two different lists"};
    }
    [[maybe_unused]] filter complains_first{words.filters}; // before anything is asked
    filtered seen;
    visit(server_for(words.redis), [&](redis::link& server) { return filter_queue(server, words, seen); });
    show(words, seen);
    if (seen.needs_yes) {
        shared.exit = runtime::exit_code::usage;
    } else if (seen.homeless > 0 || seen.refused) {
        shared.exit = runtime::exit_code::failed;
    }
}

void add_common(CLI::App& command, program& shared, const std::shared_ptr<filter_command_words>& words) {
    command
        .add_option("--count,-n", words->count, "Most messages, oldest first; 0: all")

        ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000'000'000}));
    add_filter_options(command, words->filters);
    command.add_flag("--dry-run", words->dry_run, "Only count");
    command.add_flag("--json", words->json, "As JSON");
    command.add_option("--redis", words->redis, "Server of the queue; also REDIS_URL")->type_name("URL");
    command.callback([&shared, words] { filter_queue(shared, *words); });
}

} // namespace

void add_queue_move(CLI::App& queue, program& shared) {
    auto words = std::make_shared<filter_command_words>();
    words->action = "move";
    words->past = "moved";
    auto* command = queue.add_subcommand("move", "Move messages to another queue, oldest first");
    command->footer(
        "Each message is in one of the two at any time; an interrupted move is finished by another. With filters, "
        "messages\n"
        "that do not match go round to the other end of their list: after a whole round they are in their order "
        "again.");
    command->add_option("FROM", words->list, "The list that they are in")->required()->check(said);
    command->add_option("TO", words->target, "The list that they go to")->required()->check(said);
    add_common(*command, shared, words);
}

void add_queue_purge(CLI::App& queue, program& shared) {
    auto words = std::make_shared<filter_command_words>();
    words->action = "delete";
    words->past = "deleted";
    auto* command = queue.add_subcommand("purge", "Delete messages of a queue, for ever");
    command->add_option("QUEUE", words->list, "The list")->required()->check(said);
    command->add_flag("--yes,-y", words->yes, "Do not ask");
    add_common(*command, shared, words);
}

void add_queue_redrive(CLI::App& queue, program& shared) {
    auto words = std::make_shared<filter_command_words>();
    words->action = "redrive";
    words->past = "redriven";
    auto* command = queue.add_subcommand("redrive", "Send dead messages back to the queues that they came from");
    command->footer(
        "Where each came from is in its dead-letter details (the hash DEAD:story), which end with that. They begin\n"
        "from the first attempt, behind what is in their queue. What has no details is kept, unless --to says where it "
        "should go.");
    command->add_option("DEAD", words->list, "The list of the dead")->required();
    command->add_option("--to", words->target, "To this queue instead")->type_name("QUEUE")->check(said);
    add_common(*command, shared, words);
}

} // namespace leat::cli
