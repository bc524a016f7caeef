#pragma once

#include "store/lease_token.hpp"

#include <string>

namespace leat::store {

// The key of an id, below the prefix of the settings.
inline std::string id_mark_key(const std::string& prefix, const std::string& id) {
    return prefix + id;
}

// Of a message's own id, as reserve_id.lua reads it: it was settled.
inline constexpr auto done_mark = "done";

// `name` is at work with it. The lease comes last: its key may hold anything. No lease: nobody can tell whether it
// still is.
inline std::string begun_mark(const std::string& name, const lease_token* lease) {
    auto text = "begun " + name;
    return lease != nullptr ? text + " " + lease->token + " " + lease->key : text;
}

} // namespace leat::store
