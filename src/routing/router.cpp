#include "routing/engine_room.hpp"
#include "routing/route_table.hpp"
#include "routing/router_settings.hpp"
#include "routing/routing.hpp"

#include <algorithm>
#include <set>

namespace leat::routing {
namespace {

using boost::asio::awaitable;
using runtime::exit_code;

// One configuration at work: its processors and importers. On a reload the next one begins while this one ends what it
// has in flight.
struct generation {
    generation(const runtime::context& given, std::vector<declared> configs, processor_context for_processors)
        : all{std::move(configs)}
        , tasks{given.executor, given.log}
        , table{all, with_tasks(std::move(for_processors))} {}

    // What processors do beside is ours: we stay until it has ended.
    processor_context with_tasks(processor_context for_processors) {
        for_processors.spawn = [this](std::string name, awaitable<void> task) {
            tasks.spawn(std::move(name), started_later(std::move(task)));
        };
        return for_processors;
    }
    bool is_over() const { return running == 0 && tasks.running() == 0; }

    std::vector<declared> all;
    base::task_group tasks;
    route_table table;
    std::multiset<std::string> busy; // sources that its importers take from
    std::size_t running = 0;
};

class router final : public runtime::service, public runtime::reloadable<router_settings> {
public:
    router(const runtime::context& given, router_settings settings, const processor_table& known)
        : context_{given}
        , settings_{std::move(settings)}
        , known_{known}
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
            for (auto& importer : each->table.importers()) {
                importer->stop();
            }
        }
        ended_.notify_all();
    }

    // The importers of the old configuration end what they have in hand; those of the new one begin.
    bool reload(const router_settings& fresh) override {
        if (fresh.redis != settings_.redis || fresh.service_namespace != settings_.service_namespace ||
            fresh.service_redis != settings_.service_redis || stopping_) {
            return false;
        }
        for (auto& each : generations_.back()->table.importers()) {
            each->stop();
        }
        begin(fresh);
        return true;
    }

    void registered(std::int64_t id) override {
        id_ = id;
        for (auto& each : generations_) {
            for (auto& importer : each->table.importers()) {
                importer->registered(id);
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
        generations_.push_back(
            std::make_unique<generation>(context_, checked_configs(settings.configs, known_), room_.for_processors()));
        auto& fresh = *generations_.back();
        for (auto& importer : fresh.table.importers()) {
            if (id_ != 0) {
                importer->registered(id_);
            }
            ++fresh.running;
            room_.spawn("import " + importer->name(), run_importer(fresh, *importer));
        }
    }

    bool is_taken_by_others(const generation& us, const std::string& source) const {
        return std::ranges::any_of(
            generations_, [&](const auto& each) { return each.get() != &us && each->busy.contains(source); });
    }

    awaitable<void> run_importer(generation& of, importer& from) {
        const auto& source = from.source();
        while (is_taken_by_others(of, source) && !stopping_) { // one of the last configuration ends first: order
            co_await ended_.wait_for(std::chrono::seconds{1});
        }
        if (!stopping_) {
            of.busy.insert(source);
            auto code = co_await from.run();
            of.busy.erase(of.busy.find(source));
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
    const processor_table& known_;
    engine_room room_;
    base::notice ended_{context_.executor};
    std::vector<std::unique_ptr<generation>> generations_; // the newest last
    std::int64_t id_ = 0;
    bool stopping_ = false;
    exit_code worst_ = exit_code::asked;
};

// The lists of all processors.
runtime::service_queues queues_of(const router_settings& settings, const processor_table& known) {
    runtime::service_queues made{
        redis::parse_url(settings.redis).value(),
        {{"in", {}}, {"out", {}}, {"pending", {}}, {"dead", {}}, {"reply", {}}}};
    for (const auto& each : checked_configs(settings.configs, known)) {
        for (auto& [role, lists] : each.type->lists(each.settings)) {
            auto to = std::ranges::find(made.roles, role, [](const auto& of) { return of.first; });
            if (to == made.roles.end()) { // of another room
                to = made.roles.insert(to, {role, {}});
            }
            std::ranges::move(lists, std::back_inserter(to->second));
        }
    }
    return made;
}

} // namespace

runtime::kind router_kind(const processor_table& known) {
    return runtime::kind_of<router_settings>(
        {.spec = std::make_shared<const config::spec<router_settings>>(router_spec(known)),
         .make =
             [&known](const runtime::context& given, const router_settings& settings) {
                 return std::make_unique<router>(given, settings, known);
             },
         .queues = [&known](const router_settings& settings) { return queues_of(settings, known); }});
}

} // namespace leat::routing
