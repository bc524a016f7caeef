#include "routing/route_test.hpp"

#include "base/unicode.hpp"
#include "config/write.hpp"
#include "routing/engine_room.hpp"
#include "routing/route_table.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>

#include <algorithm>

namespace leat::routing {
namespace {

using config::value;

// Stands for a processor, with the answer that a test gives it.
class canned final : public processor {
public:
    canned(std::string name, value answer)
        : processor{std::move(name)}
        , answer_{std::move(answer)} {}

    step forward(passage& on) override {
        if (const auto* reply = answer_.find("reply")) {
            return reply->is_null() ? step::end : on.reply(content{message_of(*reply)});
        }
        if (const auto* error = answer_.find("error")) {
            auto text = [error](const char* key) {
                const auto* found = error->find(key);
                return found != nullptr ? found->to_text().value_or("") : std::string{};
            };
            return on.fail(text("name"), text("message"));
        }
        return step::wait; // until the time is over
    }

private:
    value answer_;
};

// What came of a message.
struct result {
    std::optional<std::string> reply;
    std::optional<message::error> error;
    std::map<std::string, std::vector<std::string>> outs;
};

// JSON that says the same in other words is the same.
bool same(const std::string& seen, const value& expected) {
    auto text = message_of(expected);
    if (seen == text) {
        return true;
    }
    boost::system::error_code one;
    boost::system::error_code other;
    auto left = boost::json::parse(seen, one);
    auto right = boost::json::parse(text, other);
    return !one && !other && left == right;
}

std::string shown(const std::string& text) {
    return base::printable(text, 300);
}

std::vector<std::string> differences(const value& expect, const result& seen) {
    std::vector<std::string> told;
    auto differs = [&told](std::string_view what, const std::string& expected, const std::string& found) {
        told.push_back(fmt::format("{}\n    expected: {}\n    found:    {}", what, expected, found));
    };
    auto no_error = std::string{"no error"};
    auto error = seen.error ? shown(message::to_json(*seen.error)) : no_error;
    if (const auto* reply = expect.find("reply")) {
        auto found = seen.reply ? shown(*seen.reply) : "no reply" + (seen.error ? ", but the error " + error : "");
        bool right = reply->is_null() ? !seen.reply : seen.reply && same(*seen.reply, *reply);
        if (!right) {
            differs("reply", reply->is_null() ? "none" : shown(message_of(*reply)), found);
        }
    }
    const auto* wanted = expect.find("error");
    if (wanted == nullptr && seen.error) {
        differs("error", no_error, error);
    } else if (wanted != nullptr && (wanted->is_null() ? seen.error.has_value() : !seen.error)) {
        differs("error", wanted->is_null() ? no_error : config::to_json(*wanted, 0), error);
    } else if (wanted != nullptr && seen.error) {
        auto fits = [wanted](const char* key, const std::string& text) {
            const auto* part = wanted->is_map() ? wanted->find(key) : nullptr;
            return part == nullptr || part->to_text() == text;
        };
        auto whole = wanted->is_text() ? wanted->to_text() : std::nullopt; // its message alone
        if (!fits("name", seen.error->name) || !fits("message", seen.error->message) ||
            (whole && *whole != seen.error->message)) {
            differs("error", config::to_json(*wanted, 0), error);
        }
    }
    if (const auto* outs = expect.find("outs")) {
        for (const auto& entry : outs->entries()) {
            auto found = seen.outs.find(entry.key);
            std::vector<std::string> messages = found == seen.outs.end() ? std::vector<std::string>{} : found->second;
            bool right = messages.size() == entry.value.items().size();
            for (std::size_t i = 0; right && i < messages.size(); ++i) {
                right = same(messages[i], entry.value.items()[i]);
            }
            if (!right) {
                std::vector<std::string> all;
                std::ranges::transform(messages, std::back_inserter(all), shown);
                differs(
                    "outs: " + entry.key, config::to_json(entry.value, 0), fmt::format("[{}]", fmt::join(all, ", ")));
            }
        }
    }
    return told;
}

// The types of a table of processors, some of which are canned.
class stage {
public:
    stage(
        const route_case& one, const router_settings& settings, const processor_table& known, const std::string& server)
        : one_{one}
        , log_{base::create_log("test")}
        , connections_{loop_.get_executor(), log_, "test"}
        , context_{.executor = loop_.get_executor(), .kind = "router", .name = "test", .version = "", .client_name = "leat:test", .log = log_, .redis = connections_, .metrics = metrics_}
        , room_{context_, runtime::service_settings{}, server}
        , all_{declared_for(one, settings, known)} {
        for (auto& each : all_) {
            const auto* answer = one.answers.is_map() ? one.answers.find(each.name) : nullptr;
            if (answer != nullptr) {
                types_.push_back(std::make_unique<processor_type>(*each.type));
                types_.back()->make = [answer = *answer](
                                          std::string name, const value&, const processor_context&,
                                          const find_route&) -> std::unique_ptr<processor> {
                    return std::make_unique<canned>(std::move(name), answer);
                };
                each.type = types_.back().get();
            }
        }
        table_ = std::make_unique<route_table>(all_, room_.for_processors());
    }

    result play() {
        base::task_group tasks{loop_.get_executor(), log_};
        room_.begin();
        tasks.spawn("test", run());
        loop_.run();
        return std::move(seen_);
    }

private:
    boost::asio::awaitable<void> run() {
        auto& from = *table_->find_importer(one_.importer);
        for (const auto& each : one_.before) {
            co_await import(from, each);
        }
        co_await import(from, one_.given);
        co_await room_.end();
        co_await connections_.close();
    }

    boost::asio::awaitable<void> import(importer& from, std::string message) {
        std::optional<trial> ended;
        base::notice back{loop_.get_executor()};
        from.import(std::move(message), [&](trial how) {
            ended = std::move(how);
            back.notify_all();
        });
        while (!ended) { // its timeout ends it
            co_await back.wait_for(std::chrono::hours{1});
        }
        seen_.reply = std::move(ended->reply);
        seen_.error = std::move(ended->error);
        for (auto& [list, pushed] : ended->pushes) {
            seen_.outs[list].push_back(std::move(pushed));
        }
    }

    const route_case& one_;
    boost::asio::io_context loop_{1};
    base::log_ptr log_;
    runtime::connections connections_;
    runtime::metrics metrics_{loop_.get_executor()};
    runtime::context context_;
    engine_room room_;
    std::vector<declared> all_;
    std::vector<std::unique_ptr<processor_type>> types_;
    std::unique_ptr<route_table> table_;
    result seen_;
};

} // namespace

std::vector<std::string> run_route_case(
    const route_case& one, const router_settings& settings, const processor_table& known, const std::string& server) {
    stage made{one, settings, known, server};
    return differences(one.expect, made.play());
}

} // namespace leat::routing
