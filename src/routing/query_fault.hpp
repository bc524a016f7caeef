#pragma once

#include "base/result.hpp"

#include <string>
#include <string_view>

namespace leat::routing {

// Why a query gets no values; whoever asked is told.
struct query_fault {
    std::string_view name; // one of those below
    std::string message;
};

namespace query_faults {

inline constexpr std::string_view bad_query = "BadQuery";                 // it is not written as it should be
inline constexpr std::string_view not_allowed = "NotAllowed";             // a command that it may not have
inline constexpr std::string_view key_not_allowed = "KeyNotAllowed";      // a key outside the prefixes
inline constexpr std::string_view missing_parameter = "MissingParameter"; // a name that nothing gives a value
inline constexpr std::string_view missing_value = "MissingValue";         // ... or that Redis has no value for
inline constexpr std::string_view too_large = "TooLarge";                 // the query or its answer
inline constexpr std::string_view timeout = "Timeout";                    // Redis did not answer in time
inline constexpr std::string_view redis_error = "RedisError";             // it answered with an error

} // namespace query_faults

[[noreturn]] inline void throw_exception_from_error(const query_fault& held, const boost::source_location& where) {
    base::throw_exception_from_error(base::error{held.message}, where);
}

template <class T>
using query_result = base::result<T, query_fault>;

} // namespace leat::routing
