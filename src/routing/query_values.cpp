#include "routing/query_values.hpp"

#include "base/unicode.hpp"
#include "message/base64.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <charconv>

namespace leat::routing {

namespace json = boost::json;

namespace {

using redis::node;

// Walks through the flat list of nodes once.
class value_maker {
public:
    value_maker(const std::vector<node>& nodes, bool as_text)
        : nodes_{nodes}
        , as_text_{as_text} {}

    json::value next(bool is_map) {
        if (next_ >= nodes_.size()) {
            return nullptr;
        }
        const auto& given = nodes_[next_++];
        switch (given.is) {
        case node::type::null:
            return nullptr;
        case node::type::whole:
            return whole(given.text);
        case node::type::group:
            return is_map ? map(given.depth) : list(given.depth);
        case node::type::text:
        case node::type::error:
            break;
        }
        return text(given.text);
    }

private:
    bool is_within(std::size_t depth) const { return next_ < nodes_.size() && nodes_[next_].depth > depth; }

    json::value list(std::size_t depth) {
        json::array made;
        while (is_within(depth)) {
            made.push_back(next(false));
        }
        return made;
    }

    json::value map(std::size_t depth) {
        json::object made;
        while (is_within(depth)) {
            auto name = text(nodes_[next_++].text);
            made.insert_or_assign(name.get_string(), is_within(depth) ? next(false) : json::value());
        }
        return made;
    }

    json::value text(const std::string& given) const {
        return json::value(as_text_ ? given : message::to_base64(given));
    }

    json::value whole(const std::string& digits) const {
        std::int64_t number = 0;
        auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
        return read.ec == std::errc{} ? json::value(number) : text(digits);
    }

    const std::vector<node>& nodes_;
    bool as_text_;
    std::size_t next_ = 0;
};

} // namespace

bool is_text(const redis::reply& given) {
    return std::ranges::all_of(
        given.nodes, [](const node& each) { return base::first_bad_byte(each.text) == std::string_view::npos; });
}

json::value to_json(const redis::reply& given, bool is_map, bool as_text) {
    return value_maker{given.nodes, as_text}.next(is_map);
}

} // namespace leat::routing
