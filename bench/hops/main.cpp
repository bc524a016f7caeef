// What a hop costs in process: routes of empty and of real processors, driven by hand. No Redis, and no loop.
//
//   bench_hops [MILLISECONDS]    of each of the measurements; prints them as JSON
#include "config/reader.hpp"
#include "routing/redis_importer.hpp"
#include "routing/route_table.hpp"
#include "routing/routing.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <stdexcept>

namespace {

using namespace leat;
using namespace leat::routing;
using steady = std::chrono::steady_clock;
using namespace std::chrono_literals;

std::chrono::milliseconds length{50}; // of one sample

constexpr auto message = // 100 bytes
    R"({"method":"GET","url":"/orders/1234?full=yes","headers":{"accept":"application/json"},"id":"000001"})";

constexpr std::size_t most_samples = 7;

// Nanoseconds of one call.
template <class Call>
double sample(Call& call) {
    auto began = steady::now();
    std::int64_t calls = 0;
    auto passed = steady::duration::zero();
    while (passed < length) {
        for (int i = 0; i < 1000; ++i) {
            call();
        }
        calls += 1000;
        passed = steady::now() - began;
    }
    return std::chrono::duration<double, std::nano>{passed}.count() / static_cast<double>(calls);
}

double median(std::vector<double> samples) {
    std::ranges::sort(samples);
    return samples[samples.size() / 2];
}

template <class Call>
double measure(Call&& call) {
    std::vector<double> samples(most_samples);
    for (auto& each : samples) {
        each = sample(call);
    }
    return median(std::move(samples));
}

// How much longer than the other, in samples by turns.
template <class Call>
double measure_more(Call& call, Call& than) {
    std::vector<double> samples(most_samples);
    for (auto& each : samples) {
        auto before = sample(than);
        each = sample(call) - before;
    }
    return median(std::move(samples));
}

void tell(const char* kind, const std::string& route, std::size_t hops, double nanoseconds) {
    static bool first = true;
    std::printf(
        "%s\n {\"kind\": \"%s\", \"route\": \"%s\", \"hops\": %zu, \"ns\": %.1f}", first ? "[" : ",", kind,
        route.c_str(), hops, nanoseconds);
    first = false;
}

// ---- the engine alone

class passing final : public processor {
public:
    using processor::processor;
    step forward(passage& /*on*/) override { return step::pass; }
};

class ending final : public processor {
public:
    using processor::processor;
    step forward(passage& /*on*/) override { return step::end; }
};

class waiting final : public processor {
public:
    using processor::processor;
    step forward(passage& /*on*/) override { return step::wait; }
};

class nobody final : public departure {
public:
    void ended(passage& /*over*/) override {}
};

void measure_engine(std::size_t count) {
    std::deque<passing> empty;
    ending last{"last"};
    route along;
    for (std::size_t i = 0; i < count; ++i) {
        along.push_back(&empty.emplace_back("empty"));
    }
    along.push_back(&last);
    engine passages;
    nobody from;
    passage on;
    on.message = content{std::string{message}};
    auto now = steady::now();
    auto took = measure([&] {
        on.begin(along, from, now, now + 60s);
        passages.start(on);
    });
    tell("engine", std::to_string(count) + " that pass it on, and the end", along.size(), took);
}

// So many wait, and the oldest is answered.
void measure_waiting(std::size_t count) {
    waiting last{"last"};
    route along{&last};
    engine passages;
    nobody from;
    std::vector<passage> all(count);
    auto now = steady::now();
    auto start = [&](passage& on) {
        now += 1us;
        on.begin(along, from, now, now + 60s);
        passages.start(on);
    };
    for (auto& each : all) {
        start(each);
    }
    std::size_t next = 0;
    auto took = measure([&] {
        auto& on = all[next];
        next = (next + 1) % count;
        passages.resume(on.number(), std::monostate{}, now);
        start(on);
    });
    tell("engine", "a wait and its answer, beside " + std::to_string(count - 1) + " that wait", 1, took);
}

// ---- real processors, as an importer's loop has them decide

class no_loop final : public taking::ticket_owner {
public:
    void decided(taking::hand::entry /*which*/, taking::verdict /*how*/) override {} // none is decided later
};

constexpr auto settings_of_processors = R"(
RateLimitFilter.a: {limit: 1000000000}
ExpiredFilter.a: {}
DurationMonitor.a: {}
TimeoutFilter.a: {timeout: 1000}
HttpRequestValidator.a: {}
SchemaValidator.a:
  schema: {type: object, required: [url], properties: {url: {type: string, pattern: ^/}, id: {type: string}}}
regexpRouter.a: {pluck: url, rules: [{regexp: ^/secret, route: [RedisExporter.a]}, {match: all, route: [RedisExporter.a]}]}
multicast.a: {routes: [{route: [RedisExporter.a]}, {route: [RedisExporter.a]}]}
RedisExporter.a: {queue: {out: out}}
)";

config::value read_config(const std::vector<std::string>& names, bool json) {
    std::string text = "RedisImporter.a:\n  queue: {in: in}\n  timeout: 60000\n  route:\n";
    for (const auto& each : names) {
        text += "  - " + each + ".a\n";
    }
    text += std::string{"  json: "} + (json ? "true" : "false") + "\n" + settings_of_processors;
    config::problems found;
    return config::read_text(text, "hops.yaml", config::syntax::yaml, config::process_environment(), found).value();
}

// One message through an importer, from the loop's call to the verdict.
class one_import {
public:
    explicit one_import(const std::vector<std::string>& names, bool json = false)
        : all_{read_configs(read_config(names, json), known_, found_)}
        , table_{all_, context_} {
        auto how = (*this)();
        if (!how || how->is != taking::verdict::type::done || how->pushes.empty()) {
            throw std::runtime_error{"the message did not come through: " + (how ? how->reason : "it waits")};
        }
    }

    std::optional<taking::verdict> operator()() {
        return dynamic_cast<redis_importer&>(*table_.importers().front())
            .work()
            .decide({message_, 1}, taking::ticket{loop_, {}});
    }

private:
    processor_table known_{processors()};
    config::problems found_;
    engine passages_;
    boost::asio::io_context loop_of_metrics_;
    runtime::metrics counts_{loop_of_metrics_.get_executor()};
    processor_context context_{
        .passages = passages_,
        .counts = counts_,
        .log = base::create_log("bench"),
        .server = "",
        .server_of = {},
        .requests_on = {},
        .spawn = {},
        .loop_of = {}};
    std::vector<declared> all_;
    route_table table_;
    no_loop loop_;
    std::string message_{message};
};

void measure_imports() {
    using texts = std::vector<std::string>;
    const texts filters{"RateLimitFilter", "ExpiredFilter", "DurationMonitor"};
    auto through = [&filters](std::size_t count) {
        texts names;
        for (std::size_t i = 0; i < count; ++i) {
            names.push_back(filters[i % filters.size()]);
        }
        names.emplace_back("RedisExporter");
        return names;
    };
    tell("import", "RedisExporter", 1, measure(one_import{through(0)}));
    tell(
        "import", "RateLimitFilter, ExpiredFilter, DurationMonitor, RedisExporter", 4, measure(one_import{through(3)}));
    tell("import", "ten of these filters, RedisExporter", 11, measure(one_import{through(10)}));
    tell("import", "RedisExporter, with json: true", 1, measure(one_import{through(0), true}));
}

// What a processor adds to a route.
void measure_one(const std::string& name, const std::vector<std::string>& route, bool json, std::size_t hops = 1) {
    one_import with{route, json};
    one_import without{{"RedisExporter"}, json};
    tell("processor", name, hops, measure_more(with, without));
}

void measure_each() {
    for (const auto* each : {"RateLimitFilter", "ExpiredFilter", "DurationMonitor", "TimeoutFilter"}) {
        measure_one(each, {each, "RedisExporter"}, false);
    }
    for (const auto* each : {"HttpRequestValidator", "SchemaValidator"}) {
        measure_one(each, {each, "RedisExporter"}, true);
    }
    measure_one("regexpRouter, the second of two rules", {"regexpRouter"}, true);
    measure_one("multicast to two routes of one hop", {"multicast"}, false, 2);
}

} // namespace

int main(int argc, char** argv) {
    if (argc > 1) {
        length = std::chrono::milliseconds{std::atoi(argv[1])};
    }
    try {
        for (std::size_t count : {1, 3, 10}) {
            measure_engine(count);
        }
        measure_waiting(1000);
        measure_imports();
        measure_each();
    } catch (const std::exception& reason) {
        std::fprintf(stderr, "bench_hops: %s\n", reason.what());
        return 1;
    }
    std::puts("\n]");
}
