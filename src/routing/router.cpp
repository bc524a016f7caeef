#include "base/task_group.hpp"
#include "routing/metrics_writer.hpp"
#include "routing/requests.hpp"
#include "routing/route_table.hpp"
#include "routing/router_settings.hpp"
#include "routing/routing.hpp"
#include "runtime/registered_service.hpp"

#include <algorithm>
#include <map>

namespace leat::routing {
namespace {

using boost::asio::awaitable;
using runtime::exit_code;
using clock = std::chrono::steady_clock;

// One configuration at work: its processors, and the loop of each importer. On a reload the next one begins while this
// one ends what it has in hand.
struct generation {
    generation(std::vector<declared> configs, const surroundings& around)
        : all{std::move(configs)}
        , table{all, around} {}

    std::vector<declared> all;
    route_table table;
    std::vector<std::unique_ptr<taking::work_loop>> loops; // of its importers, in their order
    std::size_t running = 0;
};

class router final : public runtime::service {
public:
    router(const runtime::context& given, router_settings settings)
        : context_{given}
        , settings_{std::move(settings)}
        , stop_{given.executor}
        , moves_{[this] { stop_.awake().notify_all(); }}
        , tasks_{given.executor, given.log}
        , metrics_{given, settings_, settings_.redis} {
        around_ = std::make_unique<surroundings>(surroundings{
            .moves = moves_,
            .counts = counts_,
            .log = context_.log,
            .server = settings_.redis,
            .link_to = [this](const std::string& url) -> redis::link& { return link_to(url); },
            .requests_on = [this](const std::string& url) -> requests& { return requests_on(url); },
            .spawn =
                [this](std::string name, awaitable<void> task) { tasks_.spawn(std::move(name), std::move(task)); }});
    }

    awaitable<runtime::outcome> run() override {
        begin(settings_);
        tasks_.spawn("keep time", keep_time());
        tasks_.spawn("write metrics", write_metrics());
        while (!generations_.empty()) {
            co_await ended_.wait_for(std::chrono::hours{1});
            std::erase_if(generations_, [](const auto& each) { return each->running == 0; });
        }
        over_ = true;
        stop_.request();
        for (auto& [url, each] : requests_) {
            each->stop();
        }
        for (auto& [url, each] : requests_) {
            co_await each->ended();
        }
        co_await tasks_.wait();
        co_await metrics_.write(counts_);
        co_return runtime::outcome{worst_};
    }

    void stop() override {
        stopping_ = true;
        for (auto& each : generations_) {
            for (auto& loop : each->loops) {
                loop->stop();
            }
        }
        ended_.notify_all();
    }

    void registered(std::int64_t id) override {
        id_ = id;
        for (auto& each : generations_) {
            for (auto& loop : each->loops) {
                loop->registered(id);
            }
        }
    }

    std::chrono::seconds patience() const override {
        std::int64_t longest = 1;
        for (const auto& each : generations_) {
            for (auto& importer : each->table.importers()) {
                longest = std::max(longest, importer->settings().timeout / 1000 + 3);
            }
        }
        return std::chrono::seconds{longest};
    }

private:
    redis::link& link_to(const std::string& url) {
        return context_.redis.link_of(redis::parse_url(url).value(), context_.client_name, context_.log);
    }

    requests& requests_on(const std::string& url) {
        auto& found = requests_[url];
        if (!found) {
            found = std::make_unique<requests>(
                context_.executor, link_to(url), context_.redis.listener_of(redis::parse_url(url).value()),
                context_.log, counts_);
        }
        return *found;
    }

    void begin(const router_settings& settings) {
        config::problems none; // the settings have passed lint
        generations_.push_back(std::make_unique<generation>(read_configs(settings.configs, none), *around_));
        auto& fresh = *generations_.back();
        for (auto& importer : fresh.table.importers()) {
            auto url = redis::parse_url(importer->settings().redis.value_or(settings_.redis)).value();
            fresh.loops.push_back(taking::create_work_loop(context_, url, metrics_.name_space(), importer->work()));
            if (id_ != 0) {
                fresh.loops.back()->registered(id_);
            }
            ++fresh.running;
            tasks_.spawn("import " + importer->name(), run_importer(fresh, *fresh.loops.back(), *importer));
        }
    }

    awaitable<void> run_importer(generation& of, taking::work_loop& loop, const redis_importer& importer) {
        const auto& in = importer.settings().queue->in;
        while (busy_.contains(in) && !stopping_) { // one of the last configuration ends first: order
            co_await ended_.wait_for(std::chrono::seconds{1});
        }
        if (!stopping_) {
            busy_.insert(in);
            auto code = co_await loop.run();
            busy_.erase(busy_.find(in));
            worst_ = std::max(worst_, code);
            if (code != exit_code::asked) {
                stop(); // one that cannot go on would go unnoticed beside the others
            }
        }
        --of.running;
        ended_.notify_all();
    }

    awaitable<void> keep_time() {
        while (!over_) {
            moves_.expire(clock::now());
            auto left = std::min<clock::duration>(moves_.next_deadline() - clock::now(), std::chrono::hours{1});
            if (left.count() > 0 && !over_) {
                co_await stop_.awake().wait_for(left);
            }
        }
    }

    awaitable<void> write_metrics() {
        while (!over_) {
            auto next = clock::now() + std::chrono::seconds{1}; // we are woken for other reasons, too
            while (!over_ && clock::now() < next) {
                co_await stop_.awake().wait_for(next - clock::now());
            }
            co_await metrics_.write(counts_);
        }
    }

    runtime::context context_;
    router_settings settings_;
    base::stop_signal stop_; // its notice wakes the keeper of time, too
    base::notice ended_{context_.executor};
    engine moves_;
    tally counts_;
    base::task_group tasks_;
    metrics_writer metrics_;
    std::unique_ptr<surroundings> around_;
    std::map<std::string, std::unique_ptr<requests>> requests_; // by URL
    std::vector<std::unique_ptr<generation>> generations_;      // the newest last
    std::multiset<std::string> busy_;                           // lists that an importer takes from
    std::int64_t id_ = 0;
    bool stopping_ = false;
    bool over_ = false;
    exit_code worst_ = exit_code::asked;
};

// The lists of all importers and exporters, for people.
runtime::service_queues queues_of(const router_settings& settings) {
    config::problems none;
    std::vector<std::string> in;
    std::vector<std::string> pending;
    std::vector<std::string> dead;
    std::vector<std::string> reply;
    std::vector<std::string> out;
    for (const auto& each : read_configs(settings.configs, none)) {
        if (each.type->is == role::importer) {
            auto read = redis_importer_spec().read(each.settings, none).value();
            if (read.redis && *read.redis != settings.redis) {
                continue;
            }
            in.push_back(read.queue->in);
            pending.push_back(read.pending());
            dead.push_back(read.error());
            if (read.queue->reply) {
                reply.push_back(*read.queue->reply);
            }
        } else if (const auto* queue = each.settings.find("queue"); queue != nullptr && queue->find("out") != nullptr) {
            out.push_back(queue->find("out")->to_text().value_or(""));
        }
    }
    return {
        redis::parse_url(settings.redis).value(),
        {{"in", in}, {"out", out}, {"pending", pending}, {"dead", dead}, {"reply", reply}}};
}

std::unique_ptr<runtime::service> make_router(const runtime::context& given, const config::value& settings) {
    config::problems none;
    auto read = router_spec().read(settings, none).value();
    return runtime::under_registration(given, read, queues_of(read), std::make_unique<router>(given, read));
}

} // namespace

runtime::kind router_kind() {
    return {&router_spec(), &make_router};
}

} // namespace leat::routing
