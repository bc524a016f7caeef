#include "base/unicode.hpp"
#include "config/run_file.hpp"
#include "config/write.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

namespace leat::config {

namespace {

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\n";
    auto first = text.find_first_not_of(blanks);
    return first == std::string_view::npos ? std::string_view{}
                                           : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

value list_of(const std::vector<std::string>& texts, const place& where) {
    std::vector<value> items;
    for (std::string_view rest : texts) {
        if (trimmed(rest).empty()) {
            continue; // `--out ""` is the way to give an empty list
        }
        for (bool more = true; more;) {
            auto comma = rest.find(',');
            items.push_back(value::of_text(std::string{trimmed(rest.substr(0, comma))}, where, scalar_style::loose));
            more = comma != std::string_view::npos;
            rest.remove_prefix(more ? comma + 1 : rest.size());
        }
    }
    return value::of_list(std::move(items), where);
}

std::string shown(const field_info& field, const value& content) {
    auto visible = masked(field, typed(field, content));
    return visible.is_text() ? visible.text() : to_json(visible, 0);
}

} // namespace

void apply(
    value& map, const spec_base& spec, const override_setting& given, problems& found,
    std::vector<std::string>* replaced) {
    const place where{given.origin};
    const auto* field = spec.find(given.name);
    if (!field) {
        auto names = spec.setting_names();
        found.error(where, fmt::format("unknown setting {}{}", given.name, did_you_mean(given.name, names)));
        return;
    }
    if (std::ranges::any_of(
            given.texts, [](const auto& text) { return base::first_bad_byte(text) != std::string::npos; })) {
        found.error(where, fmt::format("{} is not UTF-8", field->name));
        return;
    }
    bool is_list = field->type == field_type::text_list;
    if (!is_list && given.texts.size() != 1) {
        found.error(where, fmt::format("{} takes one value, found {}", field->name, given.texts.size()));
        return;
    }
    auto content =
        is_list ? list_of(given.texts, where) : value::of_text(given.texts.front(), where, scalar_style::loose);
    const auto* old = map.find(field->name);
    // Only what a file says counts as replaced: a flag over the environment is the usual order of things.
    if (replaced && old && !old->is_null() && old->where().line > 0) {
        replaced->push_back(fmt::format(
            "{}={} from {} replaces {} from {}", field->name, shown(*field, content), given.origin, shown(*field, *old),
            to_string(old->where())));
    }
    map.set(field->name, std::move(content));
}

} // namespace leat::config
