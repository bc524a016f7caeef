#include "redis/failure.hpp"

#include <array>

namespace leat::redis {
namespace {

struct row {
    std::string_view word;
    error_class kind;
};

// By the first word of the error.
constexpr std::array by_code{
    row{"LOADING", error_class::retry},
    row{"TRYAGAIN", error_class::retry},
    row{"BUSY", error_class::retry},
    row{"UNBLOCKED", error_class::retry},
    row{"MASTERDOWN", error_class::retry},
    row{"CLUSTERDOWN", error_class::retry},
    row{"READONLY", error_class::find_server},
    row{"MOVED", error_class::find_server},
    row{"ASK", error_class::find_server},
    row{"OOM", error_class::pause_intake},
    row{"MISCONF", error_class::pause_intake},
    row{"NOREPLICAS", error_class::pause_intake},
    row{"WRONGTYPE", error_class::await_repair},
    row{"NOSCRIPT", error_class::no_script},
    row{"NOAUTH", error_class::stop},
    row{"WRONGPASS", error_class::stop},
    row{"NOPERM", error_class::stop},
    row{"DENIED", error_class::stop}, // protected mode
};

// By a text anywhere in the error, for the plain ERR of scripts and for refusals before the handshake.
constexpr std::array by_text{
    row{"ACL failure in script", error_class::stop},
    row{"no permissions", error_class::stop},
    row{"can't run this command", error_class::stop},
    row{"can't access at least one of the keys", error_class::stop},
    row{"WRONGTYPE", error_class::await_repair},
    row{"max number of clients", error_class::retry},
    row{"invalid DB index", error_class::stop},
    row{"DB index is out of range", error_class::stop},
    row{"invalid password", error_class::stop},
    row{"unknown command", error_class::stop}, // older than HELLO
    row{"Client names cannot contain", error_class::stop},
};

} // namespace

error_class classify(std::string_view text) {
    auto code = text.substr(0, text.find_first_of(" \r\n"));
    for (const auto& known : by_code) {
        if (known.word == code) {
            return known.kind;
        }
    }
    for (const auto& known : by_text) {
        if (text.find(known.word) != std::string_view::npos) {
            return known.kind;
        }
    }
    return error_class::await_repair; // unknown: tell and look again, never spin and never give up a message
}

std::string_view to_string(error_class kind) {
    switch (kind) {
    case error_class::retry:
        return "retry";
    case error_class::find_server:
        return "find_server";
    case error_class::pause_intake:
        return "pause_intake";
    case error_class::await_repair:
        return "await_repair";
    case error_class::no_script:
        return "no_script";
    case error_class::stop:
        return "stop";
    }
    return "";
}

} // namespace leat::redis
