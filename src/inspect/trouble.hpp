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
    trouble(std::string server, const std::string& why)
        : std::runtime_error{why}
        , server_{std::move(server)} {}

    // The server, as it may be shown.
    const std::string& server() const { return server_; }

private:
    std::string server_;
};

template <class T>
T checked(const redis::link& server, redis::result<T> answer) {
    if (!answer) {
        throw trouble{server.server().shown, answer.error().text};
    }
    return std::move(*answer);
}

} // namespace leat::inspect
