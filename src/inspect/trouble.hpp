#pragma once

#include "redis/failure.hpp"
#include "redis/link.hpp"

#include <stdexcept>
#include <string>
#include <utility>

namespace leat::inspect {

// Nothing can be seen there, or what is there makes no sense: the one exception of this room. `what()` is the server's
// sentence, or ours.
class trouble : public std::runtime_error {
public:
    trouble(std::string place, const std::string& why)
        : std::runtime_error{why}
        , place_{std::move(place)} {}

    // The server, as it may be shown.
    const std::string& place() const { return place_; }

private:
    std::string place_;
};

template <class T>
T checked(const redis::link& server, redis::result<T> answer) {
    if (!answer) {
        throw trouble{server.server().shown, answer.error().text};
    }
    return std::move(*answer);
}

} // namespace leat::inspect
