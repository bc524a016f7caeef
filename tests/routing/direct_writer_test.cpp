// A room with an importer and a processor of its own, as one whose messages come from no queue: what it adds to the
// table, and how its passages end.
#include "config/reader.hpp"
#include "routing/direct_writer.hpp"
#include "routing/importer.hpp"
#include "routing/losing_proxy.hpp"
#include "routing/routing.hpp"
#include "support/private_server.hpp"

#include <gmock/gmock.h>

namespace leat::tests {
namespace {

using namespace routing;
using namespace std::chrono_literals;
using boost::asio::awaitable;
using store::written_once;
using texts = std::vector<std::string>;

// ---- the processor: writes to two lists and a key; a message that is `bad` fails

struct stamp_settings : described {
    std::string first;
    std::string second;
};

const config::spec<stamp_settings>& stamp_spec() {
    static const config::spec<stamp_settings> made{
        "Stamp",
        "Writes to two lists.",
        "",
        {description_field(), config::field("first", &stamp_settings::first, "A list.").required().example("a"),
         config::field("second", &stamp_settings::second, "Another.").required().example("b")},
        {{"two lists", "first: a\nsecond: b\n"}}};
    return made;
}

class stamp final : public processor {
public:
    stamp(std::string name, stamp_settings settings)
        : processor{std::move(name)}
        , settings_{std::move(settings)} {}

    step forward(passage& on) override {
        const auto& text = on.message.text();
        on.writes.push_back({.to = settings_.first, .text = text});
        on.writes.push_back({.to = settings_.second, .text = text});
        on.writes.push_back({.to = "seen:" + text, .text = "done", .keep = 30});
        on.writes.push_back({.to = "failed", .text = text, .if_it_is = write::when::failed});
        return text == "bad" ? on.fail("Bad", "it is bad") : on.reply(content{"stamped " + text});
    }

private:
    stamp_settings settings_;
};

processor_type stamp_type() {
    return processor_type_of<stamp_settings>(
        {.spec = &stamp_spec(),
         .is = role::exporter,
         .make = [](std::string name, const stamp_settings& settings, const processor_context&,
                    const find_route&) { return std::make_unique<stamp>(std::move(name), settings); },
         .lists =
             [](const stamp_settings& settings) { return lists_by_role{{"out", {settings.first, settings.second}}}; }});
}

// ---- the importer: takes from nowhere, but what the test gives it

struct door_settings : described {
    std::int64_t timeout = 0;
    texts route;
};

const config::spec<door_settings>& door_spec() {
    static const config::spec<door_settings> made{
        "Door",
        "Takes from whoever calls.",
        "",
        {description_field(),
         config::field("timeout", &door_settings::timeout, "Longest time.")
             .required()
             .range(1, 60'000)
             .example(std::int64_t{500}),
         config::field("route", &door_settings::route, "Processors.").required().at_least(1).example(texts{"Stamp.a"})},
        {{"a door", "timeout: 500\nroute: [Stamp.a]\n"}}};
    return made;
}

class door final : public importer, departure {
public:
    door(std::string name, const door_settings& settings, const processor_context& context, route along)
        : name_{std::move(name)}
        , timeout_{settings.timeout}
        , context_{context}
        , along_{std::move(along)} {}

    const std::string& name() const override { return name_; }
    std::chrono::milliseconds timeout() const override { return timeout_; }
    const std::string& source() const override { return name_; }

    awaitable<runtime::exit_code> run() override {
        writer_.emplace(context_);
        auto executor = co_await boost::asio::this_coro::executor;
        changed_.emplace(executor);
        while (!stopped_ || !under_way_.empty()) {
            co_await changed_->wait_for(1s);
        }
        co_return runtime::exit_code::asked;
    }
    void stop() override {
        stopped_ = true;
        if (changed_) {
            changed_->notify_all();
        }
    }
    bool is_open() const { return changed_.has_value(); }
    void import(std::string /*message*/, std::function<void(trial)> then) override { then({}); }

    struct ending {
        std::string reply; // or the error
        redis::result<written_once> written = written_once::done;
    };
    void call(std::string message, std::function<void(ending)> then) {
        auto& one = under_way_.emplace_back();
        one.message = content{std::move(message)};
        one.then = std::move(then);
        auto now = passage::clock::now();
        one.deadline_of_all = now + timeout_;
        one.begin(along_, *this, now, one.deadline_of_all);
        one.meta = {.importer = &name_, .timeout = timeout_.count(), .route = &along_};
        context_.passages.start(one);
    }

private:
    struct vessel : passage {
        std::function<void(ending)> then;
        clock::time_point deadline_of_all;
    };
    void ended(passage& over) override { context_.spawn("write", end(static_cast<vessel&>(over))); }

    awaitable<void> end(vessel& over) {
        auto gathered = outputs_of(over);
        ending made;
        made.written = co_await writer_->write(std::move(gathered), over.deadline_of_all);
        const auto* failed = std::get_if<message::error>(&over.outcome);
        made.reply = failed != nullptr ? failed->name : std::get<content>(over.outcome).text();
        auto then = std::move(over.then);
        under_way_.remove_if([&over](const vessel& each) { return &each == &over; });
        then(std::move(made));
        changed_->notify_all();
    }

    std::string name_;
    std::chrono::milliseconds timeout_;
    processor_context context_;
    route along_;
    std::optional<direct_writer> writer_;
    std::optional<base::notice> changed_; // since it runs
    std::list<vessel> under_way_;
    bool stopped_ = false;
};

processor_type door_type(door*& made) {
    return processor_type_of<door_settings>(
        {.spec = &door_spec(),
         .is = role::importer,
         .make_importer =
             [&made](std::string name, const door_settings& settings, const processor_context& context, route along) {
                 auto one = std::make_unique<door>(std::move(name), settings, context, std::move(along));
                 made = one.get();
                 return one;
             },
         .routes = &one_route});
}

// ---- a router that knows both

processor_table table_with(door*& made) {
    auto all = processors();
    all.push_back(stamp_type());
    all.push_back(door_type(made));
    return processor_table{std::move(all)};
}

class seat : public testing::Test {
public:
    config::value settings() const {
        config::problems found;
        auto none = [](std::string_view) -> std::optional<std::string> { return std::nullopt; };
        auto read = config::read_text(
            "redis: " + proxy.url() +
                "\nconfigs:\n  Door.a: {timeout: 1500, route: [ExpiredFilter.a, Stamp.a]}\n"
                "  ExpiredFilter.a: {}\n  Stamp.a: {first: a, second: b}\n",
            "test.yaml", config::syntax::yaml, none, found);
        EXPECT_TRUE(kind.spec->lint(*read, found)) << (found.all().empty() ? "" : found.all().front().text);
        return *read;
    }

    // Runs the router, and the test beside it.
    void run(std::function<awaitable<void>(seat&)> body) { loop.run(with_server(std::move(body))); }

    awaitable<door::ending> call(std::string message) {
        std::optional<door::ending> seen;
        from->call(std::move(message), [&seen](door::ending how) { seen = std::move(how); });
        co_await loop.until([&seen] { return seen.has_value(); });
        co_return std::move(*seen);
    }

    texts list(const std::string& key) { return redis.call({"LRANGE", key, "0", "-1"}).texts(); }

    private_server server;
    client redis = server.connect();
    on_loop loop;
    losing_proxy proxy{loop, server.process().socket()};
    door* from = nullptr;

private:
    awaitable<void> with_server(std::function<awaitable<void>(seat&)> body) {
        auto log = base::create_log("test");
        runtime::connections connections{loop.executor(), log, "test"};
        runtime::metrics nowhere{loop.executor()};
        runtime::context given{loop.executor(), "router", "test", "0", "leat:router:test", log, connections, nowhere};
        auto service = kind.make(given, settings());
        bool ended = false;
        loop.also(serve(*service, ended));
        co_await loop.until([this] { return from != nullptr && from->is_open(); });
        co_await body(*this);
        service->stop();
        co_await loop.until([&ended] { return ended; });
        service.reset();
        co_await connections.close();
        proxy.stop();
    }
    static awaitable<void> serve(runtime::service& one, bool& ended) {
        co_await one.run();
        ended = true;
    }

    processor_table table = table_with(from);
    runtime::kind kind = router_kind(table);
};

awaitable<void> end_well(seat& test) {
    auto one = co_await test.call("1");
    auto two = co_await test.call("2");
    EXPECT_EQ(one.reply, "stamped 1");
    EXPECT_EQ(one.written.value(), written_once::done);
    EXPECT_EQ(two.written.value(), written_once::done);
    EXPECT_EQ(test.list("a"), (texts{"2", "1"}));
    EXPECT_EQ(test.list("b"), (texts{"2", "1"}));
    EXPECT_EQ(test.redis.call({"GET", "seen:1"}).text, "done");
}

TEST_F(seat, what_a_passage_has_gathered_is_written_when_it_ends) {
    run(&end_well);
}

awaitable<void> end_badly(seat& test) {
    auto one = co_await test.call("bad");
    EXPECT_EQ(one.reply, "Bad");
    EXPECT_EQ(one.written.value(), written_once::done);
    EXPECT_EQ(test.list("failed"), (texts{"bad"}));
    EXPECT_EQ(test.list("a"), texts{});
}

TEST_F(seat, of_one_that_failed_only_what_is_for_failures) {
    run(&end_badly);
}

awaitable<void> lose_an_answer(seat& test) {
    co_await test.call("1"); // now the server knows the script
    test.proxy.lose_next();
    auto two = co_await test.call("2");
    EXPECT_TRUE(test.proxy.has_lost());
    EXPECT_EQ(two.written.value(), written_once::repeated);
    EXPECT_EQ(test.list("a"), (texts{"2", "1"}));
    EXPECT_EQ(test.list("b"), (texts{"2", "1"}));
    auto marks = test.redis.call({"KEYS", "leat:written:*"}).texts();
    EXPECT_EQ(marks.size(), 2U);
    for (const auto& each : marks) { // they outlast whoever asks again, and go
        auto left = test.redis.call({"TTL", each}).whole;
        EXPECT_GT(left, 30);
        EXPECT_LT(left, 120);
    }
}

TEST_F(seat, an_answer_that_is_lost_writes_nothing_twice) {
    run(&lose_an_answer);
}

awaitable<void> refuse(seat& test) {
    test.redis.call({"SET", "b", "no list"});
    auto before = test.redis.keyspace();
    auto one = co_await test.call("1");
    EXPECT_FALSE(one.written);
    EXPECT_THAT(one.written.error().text, testing::HasSubstr("key=b"));
    EXPECT_FALSE(one.written.error().outcome_unknown);
    EXPECT_EQ(test.redis.keyspace(), before);
}

TEST_F(seat, a_refused_write_leaves_nothing) {
    run(&refuse);
}

awaitable<void> repair(seat& test) {
    test.redis.call({"SET", "b", "no list"});
    std::optional<door::ending> seen;
    test.from->call("1", [&seen](door::ending how) { seen = std::move(how); });
    co_await test.loop.pause(100ms);
    test.redis.call({"DEL", "b"});
    co_await test.loop.until([&seen] { return seen.has_value(); });
    EXPECT_EQ(seen->written.value(), written_once::done);
    EXPECT_EQ(test.list("a"), (texts{"1"}));
}

TEST_F(seat, a_refused_write_that_is_repaired_in_time_is_done) {
    run(&repair);
}

} // namespace
} // namespace leat::tests
