// message show, done and retry: one tracked message.
#include "base/shown.hpp"
#include "base/unicode.hpp"
#include "cli/program.hpp"
#include "cli/visit.hpp"
#include "config/write.hpp"
#include "inspect/details.hpp"
#include "inspect/messages.hpp"
#include "inspect/services.hpp"
#include "inspect/trouble.hpp"
#include "message/preview.hpp"
#include "store/keys.hpp"
#include "store/queues.hpp"

#include <iostream>

namespace leat::cli {
namespace {

using base::grouped;
using base::short_time;
using boost::asio::awaitable;
using state = store::message_state;
using config::value;
using inspect::checked;
using inspect::look_up;
using inspect::occurrence;
using inspect::tracked_message;

struct message_words {
    std::vector<std::string> ids; // ID, or xid:X
    inspect::lookup where{.name_space = "", .scan = 10'000};
    std::string redis;
    std::string out; // of a report
    bool json = false;
};

std::string where_is(const occurrence& seen) {
    using is = inspect::occurrence_state;
    auto taken = "taken from " + seen.out;
    switch (seen.state) {
    case is::queued:
        return seen.reported ? fmt::format("reported done by {}, where it still waits", seen.out)
                             : fmt::format("waits in {}, {} before it", seen.queue, grouped(seen.place));
    case is::in_flight:
        return fmt::format("{}, in work with {}", taken, seen.holder);
    case is::delayed:
        return fmt::format("{}, failed, waits for another try in {}", taken, seen.queue);
    case is::dead:
        return fmt::format("{}, given up: in {}", taken, seen.queue);
    case is::taken:
        break;
    }
    if (seen.reported) {
        return "reported done by " + seen.out;
    }
    return seen.looked < seen.length ? fmt::format("{}, or behind the first {} there", taken, grouped(seen.looked))
                                     : taken;
}

std::string describe(const tracked_message& one) {
    auto due = one.known.due;
    switch (one.known.state) {
    case state::delivered:
        return due >= 0 ? fmt::format("delivered, not reported yet; times out in {} s", due)
                        : fmt::format("delivered, not reported; timed out {} s ago", -due);
    case state::waiting:
        return fmt::format("waits for its next delivery, in {} s", std::max<std::int64_t>(0, due));
    case state::done:
        return "done";
    case state::timed_out:
        return "timed out, or forgotten, without a report";
    case state::dead:
        return "given up";
    default:
        return "unknown: never tracked here, or forgotten";
    }
}

void print(const tracked_message& one) {
    auto row = [](const char* name, const std::string& text) {
        if (!text.empty()) {
            std::cout << fmt::format("{:<10} {}\n", name, base::printable(text, 300));
        }
    };
    row("message", (one.id().empty() ? one.asked : one.id()) + " of " + one.name_space);
    row("state", describe(one));
    row("age", one.known.age < 0 ? "" : short_time(one.known.age));
    row("xid", one.xid());
    auto most = inspect::text_of(one.plan, "attempts");
    row("attempts", one.known.attempts.empty() ? "" : one.known.attempts + (most.empty() ? "" : " of " + most));
    row("service", one.known.service.empty() ? "" : one.name_space + ":" + one.known.service);
    row("body", one.known.size < 0 ? "" : message::preview(one.known.body, 200));
    row("size", one.known.size < 0 ? "" : grouped(one.known.size) + " bytes");
    row("kept for", one.known.ttl < 0 ? "" : short_time(one.known.ttl));
    for (const auto& each : one.occurrences) {
        row("where", where_is(each));
    }
    if (one.dead) {
        auto details = inspect::read_details(one.dead->story);
        row("where", "in " + one.dead_list);
        row("body", message::preview(one.dead->message, 200));
        row("died", one.now > 0 ? short_time(inspect::age_of(details, one.now)) + " ago" : "");
        row("reason", inspect::text_of(details, "reason"));
        row("tries", inspect::text_of(details, "attempts"));
        row("origin", inspect::text_of(details, "origin"));
    }
}

awaitable<void> show_them(redis::link& server, const message_words& words, program& shared) {
    std::vector<value> list;
    for (std::size_t i = 0; i < words.ids.size(); ++i) {
        auto one = co_await look_up(server, words.where, words.ids[i]);
        if (one.known.state == state::unknown) {
            shared.exit = runtime::exit_code::failed;
        }
        if (words.json) {
            list.push_back(inspect::as_value(one));
        } else {
            std::cout << (i > 0 ? "\n" : "");
            print(one);
        }
    }
    if (words.json) {
        std::cout << config::to_json(value::of_list(std::move(list))) << "\n";
    }
}

// What was done of each, for people or as JSON.
class report {
public:
    explicit report(bool json)
        : json_{json} {}
    void add(const std::string& asked, const std::string& outcome) {
        if (!json_) {
            std::cout << base::printable(asked, 300) << ": " << base::printable(outcome, 1000) << "\n";
            return;
        }
        auto made = value::of_map();
        made.set("message", value::of_text(asked));
        made.set("outcome", value::of_text(outcome));
        all_.push_back(std::move(made));
    }
    void end() {
        if (json_) {
            std::cout << config::to_json(value::of_list(std::move(all_))) << "\n";
        }
    }

private:
    bool json_;
    std::vector<value> all_;
};

// As a worker does it, and then until a service has taken the report.
awaitable<void> report_done(redis::link& server, const message_words& words, program& shared) {
    report told{words.json};
    for (const auto& asked : words.ids) {
        auto colon = asked.starts_with("xid:") ? std::string::npos : asked.find(':'); // ID:OUT, as workers report it
        auto out = colon == std::string::npos ? words.out : asked.substr(colon + 1);
        auto one = co_await look_up(server, words.where, asked.substr(0, colon));
        if (one.known.state != state::delivered && one.known.state != state::waiting) {
            told.add(asked, "not tracked: " + describe(one));
            shared.exit = runtime::exit_code::failed;
            continue;
        }
        auto is_out = [&out](const occurrence& each) { return each.out == out; };
        if (!out.empty() && std::ranges::none_of(one.occurrences, is_out)) {
            told.add(asked, "was not delivered to " + out);
            shared.exit = runtime::exit_code::failed;
            continue;
        }
        auto services = co_await inspect::list_services(server, one.name_space);
        auto lists = inspect::keys_with(services, "done", one.known.service);
        auto list = lists.empty() ? store::message_keys{one.name_space}.done() : lists.front();
        std::vector<std::string> entry{store::report_of(one.id(), out)};
        checked(server, co_await store::push(server, list, std::move(entry)));
        bool taken = false;
        for (int tries = 0; tries < 20 && !taken; ++tries) {
            auto now = checked(server, co_await store::show_message(server, one.name_space, one.id(), ""));
            taken = now.state == state::done;
            if (!taken) {
                co_await server.changed().wait_for(std::chrono::milliseconds{100});
            }
        }
        told.add(asked, taken ? "done" : "reported to " + list + ", and no service has ended it yet");
    }
    told.end();
}

awaitable<void> retry_them(redis::link& server, const message_words& words, program& shared) {
    report told{words.json};
    for (const auto& asked : words.ids) {
        auto one = co_await look_up(server, words.where, asked);
        if (one.dead) {
            auto message = one.dead->message;
            auto sent = checked(server, co_await store::redrive(server, one.dead_list, std::move(message)));
            auto what = sent.told.empty() ? std::string{} : server.masked(sent.told.front());
            told.add(
                asked, sent.state == store::redriving::sent_back  ? "sent back to " + what
                       : sent.state == store::redriving::homeless ? "cannot be sent back: " + what
                                                                  : "somebody was quicker");
            if (sent.state != store::redriving::sent_back) {
                shared.exit = runtime::exit_code::failed;
            }
            continue;
        }
        auto retried = checked(server, co_await store::retry_now(server, one.name_space, one.id()));
        if (retried.state == store::retrying::due) {
            told.add(asked, "is delivered again now");
            continue;
        }
        auto why = retried.state == store::retrying::used_up ? std::string{"its attempts are used up"}
                   : one.known.state == state::delivered     ? std::string{"its service has no `retry`"}
                                                             : describe(one);
        told.add(asked, "cannot be delivered again: " + why);
        shared.exit = runtime::exit_code::failed;
    }
    told.end();
}

using work = awaitable<void> (*)(redis::link&, const message_words&, program&);

void add(
    program& shared, const std::shared_ptr<message_words>& words, CLI::App* command, work what,
    bool takes_outs = false) {
    const auto* meaning = takes_outs
                              ? "ID, ID:OUT as a worker reports it, or xid:X by the id that the message brought along"
                              : "ID, or xid:X by the id that the message brought along";
    command->add_option("MESSAGE", words->ids, meaning)->required();
    command->add_option(
        "--namespace", words->where.name_space, "serviceNamespace that tracks it; not needed when there is one");
    command->add_option("--scan", words->where.scan, "Look at so many messages of each queue for it, at most")
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{100'000'000}))
        ->capture_default_str();
    command->add_flag("--json", words->json, "As JSON");
    command->add_option("--redis", words->redis, "Server of the message keys; also REDIS_URL")->type_name("URL");
    command->callback([&shared, words, what, takes_outs] {
        for (const auto& each : words->ids) {
            auto id = each.substr(0, takes_outs ? each.find(':') : std::string::npos);
            bool has_out = id.size() == each.size() || id.size() + 1 < each.size();
            bool number = id.find_first_not_of("0123456789") == std::string::npos && !id.empty() && has_out;
            if (!number && !(each.starts_with("xid:") && each.size() > 4)) {
                throw CLI::ValidationError{"MESSAGE", "expected ID or xid:X, found `" + each + "`"};
            }
        }
        visit(server_for(words->redis), [&](redis::link& server) { return what(server, *words, shared); });
    });
}

} // namespace

void add_message(CLI::App& app, program& shared) {
    auto* message = app.add_subcommand("message", "Look after tracked messages: show, report done, deliver again");
    message->require_subcommand(1);
    auto words = std::make_shared<message_words>();
    auto* show = message->add_subcommand("show", "What is known of a message, and where it is now");
    add(shared, words, show, &show_them);
    words = std::make_shared<message_words>();
    auto* done = message->add_subcommand("done", "Report a message as done, as its worker would");
    add(shared, words, done, &report_done, true);
    done->add_option("--out", words->out, "With await: all, the out that has done it");
    words = std::make_shared<message_words>();
    auto* retry = message->add_subcommand("retry", "Deliver a message again now: one that waits, is late, or is dead");
    add(shared, words, retry, &retry_them);
}

} // namespace leat::cli
