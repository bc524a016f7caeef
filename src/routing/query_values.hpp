#pragma once

#include "redis/reply.hpp"

#include <boost/json/value.hpp>

namespace leat::routing {

// Whether JSON can hold all of it as text.
bool is_text(const redis::reply& given);

// null, whole numbers, texts, lists of them; with `is_map` the outermost list, of names and values in turn, is a map.
// Not `as_text`, every text of it is base64, names of a map too.
boost::json::value to_json(const redis::reply& given, bool is_map, bool as_text);

} // namespace leat::routing
