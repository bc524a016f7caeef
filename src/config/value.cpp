#include "config/value.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace leat::config {

std::string to_string(const position& at) {
    // A URL given where a file belongs is still no reason to show its password.
    auto scheme = at.file.find("://");
    auto file = scheme == std::string::npos ? at.file : at.file.substr(0, scheme + 3) + "***";
    return at.line == 0 ? file : fmt::format("{}:{}:{}", file, at.line, at.column);
}

value value::null(position where) {
    value made;
    made.where_ = std::move(where);
    return made;
}

value value::of_boolean(bool content, position where) {
    auto made = null(std::move(where));
    made.content_ = content;
    return made;
}

value value::of_whole(std::int64_t content, position where) {
    auto made = null(std::move(where));
    made.content_ = content;
    return made;
}

value value::of_number(double content, position where) {
    auto made = null(std::move(where));
    made.content_ = content;
    return made;
}

value value::of_text(std::string content, position where, scalar_style style) {
    auto made = null(std::move(where));
    made.content_ = std::move(content);
    made.style_ = style;
    return made;
}

value value::of_list() {
    return of_list(std::vector<value>{});
}

value value::of_list(std::vector<value> content, position where) {
    auto made = null(std::move(where));
    made.content_ = std::move(content);
    return made;
}

value value::of_map() {
    return of_map(std::vector<entry>{});
}

value value::of_map(std::vector<entry> content, position where) {
    auto made = null(std::move(where));
    made.content_ = std::move(content);
    return made;
}

value value::of_texts(const std::vector<std::string>& content, position where) {
    std::vector<value> items;
    items.reserve(content.size());
    for (const auto& text : content) {
        items.push_back(of_text(text, where));
    }
    return of_list(std::move(items), std::move(where));
}

value value::of_plain(std::string raw, position where) {
    auto made = look(raw);
    made.raw_ = std::move(raw);
    made.where_ = std::move(where);
    made.style_ = scalar_style::plain;
    return made;
}

value value::of_digits(std::string raw, position where) {
    auto made = look(raw);
    made.raw_ = std::move(raw);
    made.where_ = std::move(where);
    return made;
}

namespace {

// [+-] digits [. digits] [e [+-] digits], with a digit before or after the point.
bool looks_like_number(std::string_view raw) {
    auto digits = [&raw] {
        auto length = std::min(raw.find_first_not_of("0123456789"), raw.size());
        raw.remove_prefix(length);
        return length;
    };
    auto skip = [&raw](std::string_view any) {
        bool found = !raw.empty() && any.find(raw.front()) != std::string_view::npos;
        raw.remove_prefix(found ? 1 : 0);
        return found;
    };
    skip("+-");
    auto length = digits();
    if (skip(".")) {
        length += digits();
    }
    if (length == 0) {
        return false;
    }
    if (skip("eE")) {
        skip("+-");
        if (digits() == 0) {
            return false;
        }
    }
    return raw.empty();
}

template <class Number>
std::optional<Number> parse(std::string_view raw) {
    Number parsed{};
    auto [end, error] = std::from_chars(raw.data(), raw.data() + raw.size(), parsed);
    return error == std::errc{} && end == raw.data() + raw.size() ? std::optional{parsed} : std::nullopt;
}

} // namespace

value value::look(std::string_view raw) {
    if (raw.empty() || raw == "~" || raw == "null" || raw == "Null" || raw == "NULL") {
        return null();
    }
    if (raw == "true" || raw == "false") {
        return of_boolean(raw == "true");
    }
    if (looks_like_number(raw)) {
        auto digits = raw.front() == '+' ? raw.substr(1) : raw; // from_chars knows no plus
        if (auto whole = parse<std::int64_t>(digits)) {
            return of_whole(*whole);
        }
        if (auto number = parse<double>(digits)) {
            return of_number(*number);
        }
    }
    return of_text(std::string{raw});
}

value_shape value::shape() const {
    return static_cast<value_shape>(content_.index());
}

bool value::boolean() const {
    return std::get<bool>(content_);
}

std::int64_t value::whole() const {
    return std::get<std::int64_t>(content_);
}

double value::number() const {
    return std::get<double>(content_);
}

const std::string& value::text() const {
    return std::get<std::string>(content_);
}

const std::vector<value>& value::items() const& {
    return std::get<std::vector<value>>(content_);
}

const std::vector<value::entry>& value::entries() const& {
    return std::get<std::vector<entry>>(content_);
}

std::optional<bool> value::to_boolean() const {
    if (is_text() && style_ == scalar_style::loose) {
        return look(text()).to_boolean();
    }
    return shape() == value_shape::boolean ? std::optional{boolean()} : std::nullopt;
}

std::optional<std::int64_t> value::to_whole() const {
    constexpr double exact_limit = 9007199254740992.0; // 2^53: up to here a double is exact
    if (is_text() && style_ == scalar_style::loose) {
        return look(text()).to_whole();
    }
    if (shape() == value_shape::whole) {
        return whole();
    }
    // 5.0 is the integer 5, as JSON Schema has it.
    if (shape() == value_shape::number && std::trunc(number()) == number() && std::abs(number()) <= exact_limit) {
        return static_cast<std::int64_t>(number());
    }
    return std::nullopt;
}

std::optional<double> value::to_number() const {
    if (is_text() && style_ == scalar_style::loose) {
        return look(text()).to_number();
    }
    if (shape() == value_shape::whole) {
        return static_cast<double>(whole());
    }
    return shape() == value_shape::number ? std::optional{number()} : std::nullopt;
}

std::optional<std::string> value::to_text() const {
    if (is_text()) {
        return text();
    }
    return style_ == scalar_style::plain && !is_null() ? std::optional{raw_} : std::nullopt;
}

const value::entry* value::find_entry(std::string_view key) const {
    if (!is_map()) {
        return nullptr;
    }
    auto found = std::ranges::find(entries(), key, &entry::key);
    return found == entries().end() ? nullptr : &*found;
}

const value* value::find(std::string_view key) const {
    const auto* found = find_entry(key);
    return found ? &found->value : nullptr;
}

void value::set(std::string_view key, value content) {
    if (is_null()) {
        content_ = std::vector<entry>{};
    }
    auto& all = std::get<std::vector<entry>>(content_);
    auto at = content.where();
    auto found = std::ranges::find(all, key, &entry::key);
    if (found == all.end()) {
        all.push_back({std::string{key}, std::move(at), std::move(content)});
    } else {
        found->key_position = std::move(at);
        found->value = std::move(content);
    }
}

void value::erase(std::string_view key) {
    if (is_map()) {
        std::erase_if(std::get<std::vector<entry>>(content_), [key](const entry& each) { return each.key == key; });
    }
}

bool same_content(const value& one, const value& other) {
    if (one.shape() != other.shape()) {
        return false;
    }
    switch (one.shape()) {
    case value_shape::null:
        return true;
    case value_shape::boolean:
        return one.boolean() == other.boolean();
    case value_shape::whole:
        return one.whole() == other.whole();
    case value_shape::number:
        return one.number() == other.number();
    case value_shape::text:
        return one.text() == other.text();
    case value_shape::list:
        return std::ranges::equal(one.items(), other.items(), same_content);
    case value_shape::map:
        break;
    }
    return std::ranges::equal(one.entries(), other.entries(), [](const auto& left, const auto& right) {
        return left.key == right.key && same_content(left.value, right.value);
    });
}

namespace {

void add(extent& total, const extent& part) {
    total.values += part.values;
    total.bytes += part.bytes;
    total.depth = std::max(total.depth, part.depth + 1);
}

} // namespace

extent extent_of(const value& content) {
    extent total{.values = 1, .bytes = 0, .depth = content.is_list() || content.is_map() ? 1U : 0U};
    if (content.is_text()) {
        total.bytes += content.text().size();
    } else if (content.is_list()) {
        for (const auto& item : content.items()) {
            add(total, extent_of(item));
        }
    } else if (content.is_map()) {
        for (const auto& each : content.entries()) {
            add(total, extent_of(each.value));
            total.bytes += each.key.size();
        }
    } else {
        total.bytes += content.raw().size();
    }
    return total;
}

} // namespace leat::config
