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

// One text for a list. As in older versions it may be several with commas between; what may be a word of a command is
// not.
void add_texts(
    std::vector<value>& items, const field_info& field, std::string_view text, const override_setting& given,
    problems& found) {
    const position where{given.set_by};
    bool is_word = field.of_words && text.find_first_of(" \t\n'\"{") != std::string_view::npos;
    if (is_word || text.find(',') == std::string_view::npos) {
        items.push_back(value::of_text(std::string{is_word ? text : trimmed(text)}, where, scalar_style::loose));
        return;
    }
    if (given.set_by.starts_with("--")) {
        found.warning(
            where, fmt::format("`{}` is split at its commas; give {} several times instead", text, given.set_by));
    }
    for (bool more = true; more;) {
        auto comma = text.find(',');
        items.push_back(value::of_text(std::string{trimmed(text.substr(0, comma))}, where, scalar_style::loose));
        more = comma != std::string_view::npos;
        text.remove_prefix(more ? comma + 1 : text.size());
    }
}

value list_of(const field_info& field, const override_setting& given, problems& found) {
    std::vector<value> items;
    for (const auto& text : given.texts) {
        if (given.as_they_are) {
            items.push_back(value::of_text(text, {given.set_by}, scalar_style::loose));
        } else if (!trimmed(text).empty()) { // `--out ""` is the way to give an empty list
            add_texts(items, field, text, given, found);
        }
    }
    return value::of_list(std::move(items), {given.set_by});
}

std::string shown(const field_info& field, const value& content) {
    auto visible = masked(field, typed(field, content));
    return visible.is_text() ? visible.text() : to_json(visible, 0);
}

const value* find_at(const value& map, std::string_view path) {
    auto dot = path.find('.');
    const auto* found = map.find(path.substr(0, dot));
    return found && dot != std::string_view::npos ? find_at(*found, path.substr(dot + 1)) : found;
}

// A group that is not there, or is not a map, becomes one.
void set_at(value& map, std::string_view path, value content) {
    auto dot = path.find('.');
    auto key = path.substr(0, dot);
    if (dot == std::string_view::npos) {
        return map.set(key, std::move(content));
    }
    const auto* old = map.find(key);
    auto group = old && old->is_map() ? *old : value::of_map({}, content.where());
    set_at(group, path.substr(dot + 1), std::move(content));
    map.set(key, std::move(group));
}

// One setting on its way over what the map says.
class overrider {
public:
    overrider(
        value& map, const spec_base& spec, const override_setting& given, problems& found,
        std::vector<std::string>* replaced)
        : map_{map}
        , spec_{spec}
        , given_{given}
        , found_{found}
        , replaced_{replaced} {}

    // Whether the groups that hold it let it in: one that a file switches off is switched on, as a flag wins.
    bool open_groups(std::string_view setting) {
        for (auto dot = setting.find('.'); dot != std::string_view::npos; dot = setting.find('.', dot + 1)) {
            const auto& group = *spec_.find(setting.substr(0, dot));
            const auto* said = find_at(map_, group.name);
            if (!said || said->is_null() || said->is_map() || said->to_boolean() == true) {
                continue;
            }
            if (said->to_boolean() != false) {
                return false; // lint tells what is wrong with it
            }
            if (said->where().line == 0) {
                found_.error({given_.set_by}, fmt::format("{} is off by {}", group.name, to_string(said->where())));
                return false;
            }
            tell_replaced(group, "true", *said);
        }
        return true;
    }

    void set(const field_info& field, value content) {
        const auto* old = find_at(map_, field.name);
        bool is_group = field.type == field_type::group;
        if (is_group && old && old->is_map() && content.to_boolean() == true) {
            return; // it is on, and what it holds stays
        }
        if (old && !old->is_null()) {
            tell_replaced(field, shown(field, content), *old);
        }
        set_at(map_, field.name, std::move(content));
    }

private:
    // Only what a file says counts as replaced: a flag over the environment is the usual order of things.
    void tell_replaced(const field_info& field, std::string_view by, const value& old) {
        if (replaced_ && old.where().line > 0) {
            replaced_->push_back(fmt::format(
                "{}={} from {} replaces {} from {}", field.name, by, given_.set_by, shown(field, old),
                to_string(old.where())));
        }
    }

    value& map_;
    const spec_base& spec_;
    const override_setting& given_;
    problems& found_;
    std::vector<std::string>* replaced_;
};

} // namespace

void apply(
    value& map, const spec_base& spec, const override_setting& given, problems& found,
    std::vector<std::string>* replaced) {
    const position where{given.set_by};
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
    overrider over{map, spec, given, found, replaced};
    if (over.open_groups(field->name)) {
        over.set(
            *field,
            is_list ? list_of(*field, given, found) : value::of_text(given.texts.front(), where, scalar_style::loose));
    }
}

void apply_environment(
    value& map, const spec_base& spec, const environment& env, problems& found, std::vector<std::string>* replaced) {
    for (const auto* field : spec.all_fields()) {
        bool set = false;
        for (const auto& name : field->environment) {
            auto text = env(name);
            if (!text || text->empty()) {
                continue;
            }
            const auto& right = field->environment.front();
            if (name != right) {
                found.warning({name}, fmt::format("the name is {}{}", right, set ? ", which is set, and wins" : ""));
            }
            if (!set) {
                apply(map, spec, {field->name, {*text}, name}, found, replaced);
            }
            set = true;
        }
    }
}

} // namespace leat::config
