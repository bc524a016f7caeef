#pragma once

#include "routing/passage.hpp"

#include <functional>
#include <string>

namespace leat::routing {

// A station of routes. It decides of each message that comes, and may change what comes back. One instance serves all
// routes that name it, and any number of messages at a time.
class processor {
public:
    explicit processor(std::string name)
        : name_{std::move(name)} {}
    processor(const processor&) = delete;
    processor& operator=(const processor&) = delete;
    virtual ~processor() = default;

    const std::string& name() const { return name_; }

    virtual step forward(passage& on) = 0;
    // The outcome on its way back, of a message that was passed on; `note` is what `forward` has noted.
    virtual void back(passage& /*on*/, std::int64_t /*note*/) {}

    // A message that waits here has ended otherwise: too late, or given up.
    virtual void left(std::uint64_t /*number*/) {}

private:
    std::string name_;
};

} // namespace leat::routing
