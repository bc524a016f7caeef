#pragma once

#include "base/result.hpp"

#include <boost/json/value.hpp>

#include <memory>
#include <optional>
#include <string>

namespace leat::routing {

// A JSON Schema (draft 7), whose patterns are RE2's: the time of a check grows with the message alone. References lead
// only within the schema.
class json_schema {
public:
    static base::result<std::shared_ptr<const json_schema>> read(const boost::json::value& schema);

    json_schema(const json_schema&) = delete;
    json_schema& operator=(const json_schema&) = delete;
    virtual ~json_schema() = default;

    // What is wrong with a message, and where; nothing when it is allowed.
    virtual std::optional<std::string> check(const boost::json::value& message) const = 0;

protected:
    json_schema() = default;
};

} // namespace leat::routing
