#include "routing/engine_room.hpp"
#include "routing/route_table.hpp"
#include "routing/router_settings.hpp"
#include "routing/routing.hpp"
#include "runtime/registered_service.hpp"

#include <algorithm>
#include <set>

namespace leat::routing {
namespace {

using boost::asio::awaitable;
using runtime::exit_code;

// One configuration at work: its processors, and the loop of each importer. On a reload the next one begins while this
// one ends what it has in hand.
struct generation {
    generation(const runtime::context& given, std::vector<declared> configs, surroundings around)
        : all{std::move(configs)}
        , tasks{given.executor, given.log}
        , table{all, with_tasks(std::move(around))} {}

    // What processors do beside is ours: we stay until it has ended.
    surroundings with_tasks(surroundings around) {
        around.spawn = [this](std::string name, awaitable<void> task) {
            tasks.spawn(std::move(name), started_later(std::move(task)));
        };
        return around;
    }
    bool is_over() const { return running == 0 && tasks.running() == 0; }

    std::vector<declared> all;
    base::task_group tasks;
    route_table table;
    std::vector<std::unique_ptr<taking::work_loop>> loops; // of its importers, in their order
    std::multiset<std::string> busy;                       // lists that its loops take from
    std::size_t running = 0;
};

class router final : public runtime::service {
public:
    router(const runtime::context& given, router_settings settings)
        : context_{given}
        , settings_{std::move(settings)}
        , room_{given, settings_, settings_.redis} {}

    awaitable<runtime::outcome> run() override {
        begin(settings_);
        room_.begin();
        while (!generations_.empty()) {
            bool is_ending = std::ranges::any_of(generations_, [](const auto& each) { return each->running == 0; });
            auto longest =
                is_ending ? std::chrono::milliseconds{100} : std::chrono::milliseconds{std::chrono::hours{1}};
            co_await ended_.wait_for(longest);
            std::erase_if(generations_, [](const auto& each) { return each->is_over(); });
        }
        co_await room_.end();
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

    // The importers of the old configuration end what they have in hand; those of the new one begin.
    bool reload(const config::value& settings) override {
        config::problems none;
        auto fresh = router_spec().read(settings, none).value();
        if (fresh.redis != settings_.redis || fresh.service_namespace != settings_.service_namespace ||
            fresh.service_redis != settings_.service_redis || stopping_) {
            return false;
        }
        for (auto& each : generations_.back()->loops) {
            each->stop();
        }
        begin(fresh);
        return true;
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
                longest = std::max(longest, importer->timeout().count() / 1000 + 3);
            }
        }
        return std::chrono::seconds{longest};
    }

private:
    void begin(const router_settings& settings) {
        config::problems none; // the settings have passed lint
        generations_.push_back(
            std::make_unique<generation>(context_, read_configs(settings.configs, none), room_.around()));
        auto& fresh = *generations_.back();
        for (auto& importer : fresh.table.importers()) {
            auto url = redis::parse_url(settings_.redis).value();
            fresh.loops.push_back(taking::create_work_loop(context_, url, room_.name_space(), importer->work()));
            if (id_ != 0) {
                fresh.loops.back()->registered(id_);
            }
            ++fresh.running;
            room_.spawn("import " + importer->name(), run_importer(fresh, *fresh.loops.back(), *importer));
        }
    }

    bool is_taken_by_others(const generation& us, const std::string& in) const {
        return std::ranges::any_of(
            generations_, [&](const auto& each) { return each.get() != &us && each->busy.contains(in); });
    }

    awaitable<void> run_importer(generation& of, taking::work_loop& loop, const importer& importer) {
        const auto& in = importer.work().in;
        while (is_taken_by_others(of, in) && !stopping_) { // one of the last configuration ends first: order
            co_await ended_.wait_for(std::chrono::seconds{1});
        }
        if (!stopping_) {
            of.busy.insert(in);
            auto code = co_await loop.run();
            of.busy.erase(of.busy.find(in));
            worst_ = std::max(worst_, code);
            if (code != exit_code::asked) {
                stop(); // one that cannot go on would go unnoticed beside the others
            }
        }
        --of.running;
        ended_.notify_all();
    }

    runtime::context context_;
    router_settings settings_;
    engine_room room_;
    base::notice ended_{context_.executor};
    std::vector<std::unique_ptr<generation>> generations_; // the newest last
    std::int64_t id_ = 0;
    bool stopping_ = false;
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
