#pragma once

#include "taking/verdict.hpp"
#include "taking/work.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace leat::taking {

// What becomes of messages and results that are too large to be sent: they may cost the connection, and with it what
// others have on it. Pure.
class size_bounds {
public:
    // `what` must outlive it.
    explicit size_bounds(const work& what)
        : work_{what} {}

    // Of a message that was taken; nothing when it is not too large.
    std::optional<verdict> refuse(const std::string& message) const;
    // Instead of a verdict that pushes something too large, one that does not.
    void bound(const std::string& message, verdict& how) const;
    // What was to be set as a sign that the message is done is not: it may be sent back.
    verdict instead_of(const verdict& how, const std::string& message, const std::string& reason) const;

private:
    verdict too_large(const std::string& message, const std::string& reason) const;

    const work& work_;
};

} // namespace leat::taking
