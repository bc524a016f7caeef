#pragma once

#include "config/spec.hpp"
#include "runtime/forwarding.hpp"
#include "runtime/registration.hpp"
#include "runtime/service.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace leat::runtime {

// A row of the table: what can be configured, and how to make an instance. Settings have passed the spec's lint.
struct kind {
    std::shared_ptr<const config::spec_base> spec;
    std::function<std::unique_ptr<service>(const context& given, const config::value& settings)> make;
    std::function<registration_form(const config::value& settings)> registers;
    // New settings for a running service; false: it must be started again to take them.
    std::function<bool(service& running, const config::value& settings)> reload;
    // Of movers: what becomes of every message, so that cycles are found before anything moves.
    std::function<std::vector<forwarding>(const config::value& settings)> forwards = {};
};

// The same by the struct of its settings, which extends service_settings: functions get them read.
template <class S>
struct typed_kind {
    std::shared_ptr<const config::spec<S>> spec;
    std::function<std::unique_ptr<service>(const context& given, const S& settings)> make;
    std::function<service_queues(const S& settings)> queues; // for those who look at registered services
    std::function<std::vector<forwarding>(const S& settings)> forwards = {};
};

template <class S>
kind kind_of(typed_kind<S> given) {
    auto spec = given.spec;
    kind made{
        .spec = spec,
        .make = [spec, make = std::move(given.make)](
                    const context& with, const config::value& settings) { return make(with, spec->checked(settings)); },
        .registers =
            [spec, queues = std::move(given.queues)](const config::value& settings) {
                auto read = spec->checked(settings);
                const service_settings& shared = read;
                return registration_form{shared, queues(read)};
            },
        .reload =
            [spec](service& running, const config::value& settings) {
                auto* one = dynamic_cast<reloadable<S>*>(&running);
                return one != nullptr && one->reload(spec->checked(settings));
            }};
    if (given.forwards) {
        made.forwards = [spec, forwards = std::move(given.forwards)](const config::value& settings) {
            return forwards(spec->checked(settings));
        };
    }
    return made;
}

// A spec that lives as long as the program does.
template <class S>
std::shared_ptr<const config::spec<S>> lasting(const config::spec<S>& spec) {
    return {std::shared_ptr<void>{}, &spec};
}

using kind_table = std::vector<kind>;

const kind* find_kind(const kind_table& kinds, std::string_view name);
std::vector<const config::spec_base*> specs_of(const kind_table& kinds);

} // namespace leat::runtime
