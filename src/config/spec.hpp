#pragma once

#include "config/group.hpp"
#include "config/spec_base.hpp"

namespace leat::config {

// The settings of a kind, each declared once, with the struct S that holds them. Defaults are those of a fresh S.
// `group.hpp` shows settings that stand together in a map of their own.
//
//   const config::spec<mpush_settings> mpush_spec{"mpush", "Copies each message.", "...", {
//       config::field("in", &mpush_settings::in, "Queue to take from.").required().not_empty(),
//       config::field("popTimeout", &mpush_settings::pop_timeout, "Longest idle wait.").range(1, 30).unit("s")},
//       {{"one subscriber", "in: a\nout: [b]\n"}}, &check_mpush};
template <class S>
class spec final : public spec_base {
public:
    // Rules between settings; called only when each setting alone is fine.
    using cross_check_function = std::function<void(const S&, const reporter&)>;

    spec(
        std::string name, std::string summary, std::string description, std::vector<typed_field<S>> fields,
        std::vector<example> examples = {}, cross_check_function rule = {})
        : spec_base{std::move(name), std::move(summary), std::move(description), infos(fields), std::move(examples)}
        , members_{std::move(fields)} {
        if (rule) {
            rules_.push_back(std::move(rule));
        }
    }

    spec& cross_check(cross_check_function rule) & {
        rules_.push_back(std::move(rule));
        return *this;
    }
    spec&& cross_check(cross_check_function rule) && { return std::move(this->cross_check(std::move(rule))); }

    // Nothing when there was an error; `found` has every problem.
    std::optional<S> read(const value& given, problems& found) const {
        auto errors = found.error_count();
        auto map = plain_numbers(fields(), given, &found);
        if (!check_fields(map, found)) {
            return std::nullopt;
        }
        S settings{};
        fill(settings, members_, map);
        for (const auto& rule : rules_) {
            rule(settings, reporter{map, found});
        }
        return found.error_count() == errors ? std::optional{std::move(settings)} : std::nullopt;
    }

    // The settings of a map that has passed the lint; throws std::bad_optional_access over another.
    S checked(const value& given) const {
        problems found;
        return read(given, found).value();
    }

    bool lint(const value& map, problems& found) const override { return read(map, found).has_value(); }

private:
    std::vector<typed_field<S>> members_;
    std::vector<cross_check_function> rules_;
};

} // namespace leat::config
