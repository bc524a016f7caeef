#include "inspect/details.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>

namespace leat::inspect {
namespace {

config::value convert(const boost::json::value& from) {
    using config::value;
    switch (from.kind()) {
    case boost::json::kind::bool_:
        return value::of_boolean(from.get_bool());
    case boost::json::kind::int64:
        return value::of_whole(from.get_int64());
    case boost::json::kind::uint64:
        return value::of_number(static_cast<double>(from.get_uint64()));
    case boost::json::kind::double_:
        return value::of_number(from.get_double());
    case boost::json::kind::string:
        return value::of_text(std::string{from.get_string()});
    case boost::json::kind::array: {
        std::vector<value> items;
        for (const auto& each : from.get_array()) {
            items.push_back(convert(each));
        }
        return value::of_list(std::move(items));
    }
    case boost::json::kind::object: {
        auto map = value::of_map();
        for (const auto& [key, each] : from.get_object()) {
            map.set(std::string{key}, convert(each));
        }
        return map;
    }
    default:
        return value::null();
    }
}

} // namespace

config::value read_json(std::string_view text) {
    boost::json::parse_options how;
    how.allow_invalid_utf8 = true;
    boost::system::error_code wrong;
    auto parsed = boost::json::parse(text, wrong, {}, how);
    return wrong ? config::value::null() : convert(parsed);
}

config::value read_details(std::string_view text) {
    auto read = text.empty() ? config::value::null() : read_json(text);
    return read.is_map() ? read : config::value::of_map();
}

std::string text_of(const config::value& map, std::string_view name) {
    const auto* found = map.find(name);
    if (found == nullptr) {
        return "";
    }
    auto whole = found->to_whole();
    return whole ? std::to_string(*whole) : found->to_text().value_or("");
}

std::int64_t age_of(const config::value& details, std::int64_t now) {
    const auto* died = details.find("died");
    auto when = died == nullptr ? std::nullopt : died->to_whole();
    return when && *when > 0 ? std::max<std::int64_t>(0, now - *when) : -1;
}

} // namespace leat::inspect
