#pragma once

#include <boost/system/result.hpp>

#include <stdexcept>
#include <string>

namespace leat::base {

// What went wrong, for people. Rooms whose callers must tell errors apart have a richer type (redis::failure).
struct error {
    std::string text;
};

// For boost::system::result: to take the value of a result that holds an error is a broken invariant.
[[noreturn]] inline void throw_exception_from_error(const error& held, const boost::source_location& /*where*/) {
    throw std::logic_error{"unchecked error: " + held.text};
}

// The message path returns these; exceptions are for start-up and broken invariants.
template <class T, class E = error>
using result = boost::system::result<T, E>;

} // namespace leat::base
