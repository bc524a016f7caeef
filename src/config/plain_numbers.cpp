#include "config/field.hpp"

#include <spdlog/fmt/fmt.h>

#include <array>
#include <cmath>

namespace leat::config {

namespace {

struct time_unit {
    std::string_view name;
    double milliseconds;
};
constexpr std::array<time_unit, 5> time_units{{{"ms", 1}, {"s", 1e3}, {"m", 60e3}, {"h", 3'600e3}, {"d", 86'400e3}}};

std::optional<double> milliseconds_in(std::string_view unit) {
    for (const auto& each : time_units) {
        if (each.name == unit) {
            return each.milliseconds;
        }
    }
    return std::nullopt;
}

// `1.5h` in milliseconds; nothing when it is no number with a unit of time.
std::optional<double> read_duration(std::string_view text) {
    auto end = text.find_first_not_of("0123456789.");
    if (end == std::string_view::npos || end == 0) {
        return std::nullopt;
    }
    auto unit = milliseconds_in(text.substr(end));
    auto number = value::of_text(std::string{text.substr(0, end)}, {}, scalar_style::loose).to_number();
    return unit && number ? std::optional{*number * *unit} : std::nullopt;
}

// Each of the numbers of one map, in its own form.
class number_reader {
public:
    number_reader(const field_info& field, const value& given, problems* found)
        : field_{field}
        , given_{given}
        , found_{found} {}

    std::optional<value> duration() const {
        auto text = given_.to_text();
        bool is_unclear =
            field_.grouped && text && text->find('.') != std::string::npos; // 900.000ms: a part, or a group?
        auto length = text && !is_unclear ? read_duration(*text) : std::nullopt;
        if (!length) {
            warn_of_unit();
            return std::nullopt;
        }
        auto number = *length / *milliseconds_in(field_.unit);
        if (field_.type == field_type::number) {
            return value::of_number(number, given_.where());
        }
        if (number > 1e15) {
            return std::nullopt;
        }
        if (number != std::floor(number)) {
            error(fmt::format("{} is no whole number of {}", *text, field_.unit));
        }
        return value::of_whole(static_cast<std::int64_t>(number), given_.where());
    }

    std::optional<value> grouped() const {
        auto raw = !given_.raw().empty() ? given_.raw() : given_.to_text().value_or("");
        auto first = raw.find('.');
        auto groups = first == std::string::npos ? std::string_view{} : std::string_view{raw}.substr(first);
        bool fits = first >= 1 && first <= 3 && !groups.empty() && groups.size() % 4 == 0;
        std::string digits;
        for (std::size_t i = 0; fits && i < raw.size(); ++i) {
            bool is_point = i >= first && (i - first) % 4 == 0;
            fits = is_point ? raw[i] == '.' : raw[i] >= '0' && raw[i] <= '9';
            digits += is_point ? "" : std::string(1, raw[i]);
        }
        if (!fits || digits.size() > 18) {
            if (first != std::string::npos && given_.to_whole()) {
                error(fmt::format("{} has a point, but no groups of three digits; write it without", raw));
            }
            return std::nullopt;
        }
        warning(fmt::format("{} is read as {}", raw, digits));
        return value::of_whole(std::stoll(digits), given_.where());
    }

private:
    // 2 ms where seconds are usual, 5000 s where a few are.
    void warn_of_unit() const {
        auto number = given_.to_number();
        bool is_refused = number && ((field_.least.to_number() && *number < *field_.least.to_number()) ||
                                     (field_.most.to_number() && *number > *field_.most.to_number()));
        if (!number || *number <= 0 || is_refused) {
            return;
        }
        auto usual = field_.default_value.to_number();
        auto shown = fmt::format("{:g}", *number);
        if (field_.unit == "ms" && *number < 10 && usual.value_or(1000) >= 100) {
            warning(fmt::format("{0} is {0} ms; write {0}ms, or {0}s when seconds are meant", shown));
        } else if (
            field_.unit == "s" && *number >= 1000 && std::fmod(*number, 1000) == 0 && usual && *usual > 0 &&
            *usual * 20 <= *number) {
            warning(fmt::format("{0} is {0} s; write {0}s, or {0}ms when milliseconds are meant", shown));
        }
    }

    void error(const std::string& text) const {
        if (found_ != nullptr) {
            found_->error(given_.where(), fmt::format("{}: {}", field_.name, text));
        }
    }
    void warning(const std::string& text) const {
        if (found_ != nullptr) {
            found_->warning(given_.where(), fmt::format("{}: {}", field_.name, text));
        }
    }

    const field_info& field_;
    const value& given_;
    problems* found_;
};

} // namespace

bool is_duration(const field_info& field) {
    bool is_number = field.type == field_type::whole || field.type == field_type::number;
    return is_number && milliseconds_in(field.unit).has_value();
}

value plain_numbers(const std::vector<field_info>& fields, const value& map, problems* found) {
    auto made = map;
    for (const auto& field : fields) {
        const auto* given = map.find(field.key);
        if (given == nullptr || given->is_null()) {
            continue;
        }
        number_reader reader{field, *given, found};
        if (field.type == field_type::group && given->is_map()) {
            made.set(field.key, plain_numbers(field.inner, *given, found));
            continue;
        }
        auto plain = field.grouped ? reader.grouped() : std::nullopt;
        if (!plain && is_duration(field)) {
            plain = reader.duration();
        }
        if (plain) {
            made.set(field.key, std::move(*plain));
        }
    }
    return made;
}

} // namespace leat::config
