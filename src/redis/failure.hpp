#pragma once

#include "base/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace leat::redis {

// What to do about an error; the loops of leat know no other distinction.
enum class error_class : std::uint8_t {
    retry,        // passes by itself: back off and try again
    find_server,  // this is not the server, or the connection is gone: connect anew
    pause_intake, // the server takes no writes: leave the messages where they are, look again later
    await_repair, // a key or a setting is wrong: tell, look again later
    no_script,    // load the script
    stop,         // not allowed in, or not allowed to: nothing but a person helps
};

struct failure {
    error_class kind = error_class::retry;
    std::string text;
    bool outcome_unknown = false; // it may have been done: the connection was lost, or nobody waited for the answer
    std::uint64_t epoch = 0;      // connects() of the link when it was asked
};

[[noreturn]] inline void throw_exception_from_error(const failure& held, const boost::source_location& where) {
    base::throw_exception_from_error(base::error{held.text}, where);
}

template <class T>
using result = base::result<T, failure>;

// The class of a Redis error text. Errors from inside scripts arrive as ERR with the cause in the middle.
error_class classify(std::string_view text);

std::string_view to_string(error_class kind);

} // namespace leat::redis
