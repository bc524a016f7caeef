#pragma once

#include "base/log.hpp"
#include "config/spec.hpp"
#include "redis/server.hpp"
#include "routing/engine.hpp"
#include "routing/importer.hpp"
#include "routing/processor.hpp"
#include "runtime/metrics.hpp"
#include "taking/work_loop.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace leat::routing {

class requests;

// What a processor may use of the world; where there is no Redis (a test that needs none) the functions throw.
struct processor_context {
    engine& passages;
    runtime::metrics& counts;
    base::log_ptr log;
    std::string server; // URL of the router's own Redis
    // Over a connection that all share; `what` is waited with when it fails.
    std::function<redis::server(const std::string& url, std::string what)> server_of;
    std::function<requests&(const std::string& url)> requests_on; // for those who ask and wait
    std::function<void(std::string name, boost::asio::awaitable<void>)> spawn;
    // Takes messages from a list of the router's own Redis; for importers.
    std::function<std::unique_ptr<taking::work_loop>(const taking::work& what)> loop_of;
};

enum class role : std::uint8_t { importer, filter, router, exporter };

// Pulls the processors of a route together, by the list of their names.
using find_route = std::function<route(const config::value& names)>;

// Lists by their roles (in, out, pending, dead, reply), for people.
using lists_by_role = std::vector<std::pair<std::string, std::vector<std::string>>>;

// A row of the table: what can be configured, where routes go on, and how to make one. Settings have passed the lint.
struct processor_type {
    const config::spec_base* spec = nullptr;
    role is = role::filter;
    std::function<std::unique_ptr<processor>(
        std::string name, const config::value& settings, const processor_context& context, const find_route& find)>
        make; // nothing for importers, which have this instead:
    std::function<std::unique_ptr<importer>(
        std::string name, const config::value& settings, const processor_context& context, route along)>
        make_importer = {};
    // The lists of names in its settings, for those who send messages along routes of their own.
    std::function<std::vector<const config::value*>(const config::value& settings)> routes = [](const auto&) {
        return std::vector<const config::value*>{};
    };
    // Whether it cannot do its work without a server.
    std::function<bool(const config::value& settings)> needs_redis = [](const auto&) { return false; };
    // That it takes from and pushes to.
    std::function<lists_by_role(const config::value& settings)> lists = [](const auto&) { return lists_by_role{}; };
};

// The same by the struct of its settings: functions get them read.
template <class S>
struct typed_processor {
    const config::spec<S>* spec = nullptr;
    role is = role::filter;
    std::function<std::unique_ptr<processor>(
        std::string name, const S& settings, const processor_context& context, const find_route& find)>
        make = {};
    std::function<std::unique_ptr<importer>(
        std::string name, const S& settings, const processor_context& context, route along)>
        make_importer = {};
    // It answers with places in the settings as they are written.
    std::function<std::vector<const config::value*>(const config::value& settings)> routes = [](const auto&) {
        return std::vector<const config::value*>{};
    };
    std::function<bool(const S& settings)> needs_redis = [](const S&) { return false; };
    std::function<lists_by_role(const S& settings)> lists = [](const S&) { return lists_by_role{}; };
};

template <class S>
processor_type processor_type_of(typed_processor<S> given) {
    const auto* spec = given.spec;
    processor_type made{.spec = spec, .is = given.is, .make = {}, .routes = std::move(given.routes)};
    if (given.make) {
        made.make = [spec, make = std::move(given.make)](
                        std::string name, const config::value& settings, const processor_context& context,
                        const find_route& find) {
            return make(std::move(name), spec->checked(settings), context, find);
        };
    }
    if (given.make_importer) {
        made.make_importer = [spec, make = std::move(given.make_importer)](
                                 std::string name, const config::value& settings, const processor_context& context,
                                 route along) {
            return make(std::move(name), spec->checked(settings), context, std::move(along));
        };
    }
    made.needs_redis = [spec, needs = std::move(given.needs_redis)](const config::value& settings) {
        return needs(spec->checked(settings));
    };
    made.lists = [spec, lists = std::move(given.lists)](const config::value& settings) {
        return lists(spec->checked(settings));
    };
    return made;
}

// All that routes can be made of. Each room that has processors offers them, and cli puts them together.
class processor_table {
public:
    explicit processor_table(std::vector<processor_type> all)
        : all_{std::move(all)} {}

    // `RateLimitFilter` of `RateLimitFilter.singleton` and of `filter.RateLimitFilter.singleton`; nothing when there is
    // no such type, or no instance behind it.
    const processor_type* find(std::string_view processor) const;
    std::vector<std::string> names() const;
    auto begin() const { return all_.begin(); }
    auto end() const { return all_.end(); }

private:
    std::vector<processor_type> all_;
};

// The routes of types that have one `route`.
std::vector<const config::value*> one_route(const config::value& settings);
// ... and of types that have a list of maps with one each.
std::vector<const config::value*> routes_in(const config::value& settings, std::string_view list);
// What every processor may say of itself.
struct described {
    std::optional<std::string> description;
};
config::typed_field<described> description_field();
// `queue` of a filter that keeps what it does not let through.
struct drop_queue {
    std::optional<std::string> drop;
};
std::vector<config::typed_field<drop_queue>> drop_fields(std::string doc, const char* example);

} // namespace leat::routing
