#pragma once

#include <boost/system/result.hpp>

#include <string>

namespace leat::base {

// What went wrong, for people. Rooms whose callers must tell errors apart have a richer type (redis::failure).
struct error {
    std::string text;
};

// The message path returns these; exceptions are for start-up and broken invariants.
template <class T, class E = error>
using result = boost::system::result<T, E>;

} // namespace leat::base
