#pragma once

#include "config/problem.hpp"

#include <concepts>
#include <functional>
#include <type_traits>

namespace leat::config {

// `any` is a tree of whatever shape, which the spec's own rules look at.
enum class field_type { text, whole, number, boolean, text_list, group, any };

// What of a setting may be shown: all of it, a URL without its password, nothing.
enum class secrecy { none, url, whole };

// Of a text, or of each text of a list: what is wrong with it, or nothing.
using text_check = std::function<std::optional<std::string>(std::string_view)>;

// All that is known of a setting but its C++ member. Reading, lint, echo, docs and schema come from here.
struct field_info {
    std::string name; // from the top: `retry.attempts`
    std::string key;  // in its own map: `attempts`
    field_type type = field_type::text;
    std::string doc;
    value default_value; // null when it has none
    value example;       // null when the default is one
    bool required = false;
    bool not_empty = false; // of a list: no text in it is
    bool distinct = false;
    bool of_words = false; // of a list: a text may hold commas, as the words of a command do
    secrecy secret = secrecy::none;
    value least; // null when there is no such bound
    value most;
    std::size_t at_least = 0; // texts in a list
    std::string unit;
    bool grouped = false;                 // of a whole number: 900.000 is read as 900000, with a warning
    std::vector<std::string> environment; // variables that set it; those after the first are misspelt, and warned of
    std::vector<std::string> choices;
    std::string needs;                    // the setting without which this one has no effect
    std::vector<std::string> other_names; // that people may try
    text_check check;
    std::vector<field_info> inner; // of a group
};

// `a whole number`
std::string_view type_name(field_type type);
// `1 to 30 s`, `at least 1`, or nothing
std::string bounds(const field_info& field);

// A group of the settings with these infos, whose names are under its own from then on.
field_info group_info(std::string name, std::string doc, std::vector<field_info> inner);
// Whether a setting of this name stands in the group.
bool holds(const field_info& group, std::string_view name);
// By its name, also in groups.
const field_info* find_field(const std::vector<field_info>& fields, std::string_view name);
// What the map sets it to. A null is as good as absent (an empty `out:` in YAML), and so is the `false` of a group.
const value* find_set(const value& map, const field_info& field);

// Tells every problem of one set value; false when there was an error. What a group holds is not looked at.
bool check(const field_info& field, const value& content, problems& found);
// Whether the setting is a length of time.
bool is_duration(const field_info& field);
// The map with plain numbers: durations may have a unit of their own (`2s`, `500ms`), and whole numbers may be written
// in groups of three digits (900.000) where a setting allows that. A group, and a bare number that looks as if it was
// meant in another unit, is warned of.
value plain_numbers(const std::vector<field_info>& fields, const value& map, problems* found);
// The value in the setting's own type, or as it is when that fails.
value typed(const field_info& field, const value& content);
// A map of all these settings in their types, with the defaults, without those that have no value.
value filled(const std::vector<field_info>& fields, const value& map);
// What may be shown of a value of this setting.
std::string masked(secrecy secret, std::string_view text);
value masked(const field_info& field, const value& content);
value masked(const std::vector<field_info>& fields, const value& map);

// Between a setting's value, already checked, and its C++ member.
void assign(std::string& to, const value& from);
void assign(std::int64_t& to, const value& from);
void assign(double& to, const value& from);
void assign(bool& to, const value& from);
void assign(std::vector<std::string>& to, const value& from);
void assign(value& to, const value& from);
template <class T>
void assign(std::optional<T>& to, const value& from) {
    assign(to.emplace(), from);
}

value show(const std::string& from);
inline value show(const char* from) {
    return show(std::string{from});
}
value show(std::int64_t from);
value show(double from);
value show(bool from);
value show(const std::vector<std::string>& from);
value show(const value& from);
template <class T>
value show(const std::optional<T>& from) {
    return from ? show(*from) : value::null();
}

template <class Member>
struct type_of;
template <>
struct type_of<std::string> : std::integral_constant<field_type, field_type::text> {};
template <>
struct type_of<std::int64_t> : std::integral_constant<field_type, field_type::whole> {};
template <>
struct type_of<double> : std::integral_constant<field_type, field_type::number> {};
template <>
struct type_of<bool> : std::integral_constant<field_type, field_type::boolean> {};
template <>
struct type_of<std::vector<std::string>> : std::integral_constant<field_type, field_type::text_list> {};
template <>
struct type_of<value> : std::integral_constant<field_type, field_type::any> {};
template <class Member>
struct type_of<std::optional<Member>> : type_of<Member> {};

// A setting of the struct S: its info, filled by the calls below, and its member.
template <class S>
class typed_field {
public:
    template <class Member>
    typed_field(std::string name, Member S::* member, std::string doc)
        : put_{[member](S& to, const value& from) { assign(to.*member, from); }}
        , get_{[member](const S& from) { return show(from.*member); }} {
        info_.key = name;
        info_.name = std::move(name);
        info_.type = type_of<Member>::value;
        info_.doc = std::move(doc);
    }

    typed_field(field_info info, std::function<void(S&, const value&)> put, std::function<value(const S&)> get)
        : info_{std::move(info)}
        , put_{std::move(put)}
        , get_{std::move(get)} {}

    // A field of a struct that S extends.
    template <class Base>
        requires(std::derived_from<S, Base> && !std::same_as<S, Base>)
    typed_field(const typed_field<Base>& other)
        : info_{other.info()} // NOLINT(google-explicit-constructor)
        , put_{[other](S& to, const value& from) { other.put(to, from); }}
        , get_{[other](const S& from) { return other.get(from); }} {}

    typed_field& required() {
        return with([](auto& info) { info.required = true; });
    }
    typed_field& not_empty() {
        return with([](auto& info) { info.not_empty = true; });
    }
    typed_field& distinct() {
        return with([](auto& info) { info.distinct = true; });
    }
    typed_field& of_words() {
        return with([](auto& info) { info.of_words = true; });
    }
    typed_field& secret(secrecy how) {
        return with([&](auto& info) { info.secret = how; });
    }
    typed_field& at_least(std::size_t texts) {
        return with([&](auto& info) { info.at_least = texts; });
    }
    typed_field& unit(std::string name) {
        return with([&](auto& info) { info.unit = std::move(name); });
    }
    typed_field& grouped() {
        return with([](auto& info) { info.grouped = true; });
    }
    typed_field& environment(std::vector<std::string> names) {
        return with([&](auto& info) { info.environment = std::move(names); });
    }
    typed_field& choices(std::vector<std::string> all) {
        return with([&](auto& info) { info.choices = std::move(all); });
    }
    typed_field& also_called(std::vector<std::string> names) {
        return with([&](auto& info) { info.other_names = std::move(names); });
    }
    typed_field& needs(std::string other) {
        return with([&](auto& info) { info.needs = std::move(other); });
    }
    template <class Shown>
    typed_field& example(const Shown& shown) {
        return with([&](auto& info) { info.example = show(shown); });
    }
    typed_field& check(text_check complaint) {
        return with([&](auto& info) { info.check = std::move(complaint); });
    }

    template <class Number>
        requires std::is_arithmetic_v<Number>
    typed_field& least(Number bound) {
        return with([&](auto& info) { info.least = bound_of(bound); });
    }
    template <class Number>
        requires std::is_arithmetic_v<Number>
    typed_field& most(Number bound) {
        return with([&](auto& info) { info.most = bound_of(bound); });
    }
    template <class Least, class Most>
    typed_field& range(Least lowest, Most highest) {
        return least(lowest).most(highest);
    }

    const field_info& info() const { return info_; }
    void put(S& to, const value& from) const { put_(to, from); }
    value get(const S& from) const { return get_(from); }

private:
    template <class Change>
    typed_field& with(Change change) {
        change(info_);
        return *this;
    }
    template <class Number>
    value bound_of(Number bound) const {
        return info_.type == field_type::whole ? value::of_whole(static_cast<std::int64_t>(bound))
                                               : value::of_number(static_cast<double>(bound));
    }

    field_info info_;
    std::function<void(S&, const value&)> put_;
    std::function<value(const S&)> get_;
};

template <class S, class Member>
typed_field<S> field(std::string name, Member S::* member, std::string doc) {
    return {std::move(name), member, std::move(doc)};
}

// The declaration of that name, for those who put a list together from what others declare.
template <class S>
std::optional<typed_field<S>> field_named(std::vector<typed_field<S>> fields, std::string_view name) {
    for (auto& each : fields) {
        if (each.info().name == name) {
            return std::move(each);
        }
    }
    return std::nullopt;
}

} // namespace leat::config
