#pragma once

#include <string>

namespace leat::store {

// A consumer's lease: while the hash `key` has this token, what it took is its own.
struct lease_token {
    std::string key;
    std::string token;
    bool operator==(const lease_token&) const = default;
};

} // namespace leat::store
