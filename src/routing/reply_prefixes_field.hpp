#pragma once

#include "config/spec.hpp"

#include <string>
#include <vector>

namespace leat::routing {

// The setting of the kinds that answer where a message says; `reply_rule` goes by it.
template <class S>
config::typed_field<S> reply_prefixes_field(std::vector<std::string> S::* prefixes) {
    return config::field(
               "replyPrefixes", prefixes,
               "A list that a message names in `meta.reply` must begin with one of these, or be `reply`. Default: "
               "`<in>:reply:`, and the name must be longer than that. Anyone who may push to `in` can have answers "
               "pushed to these lists, with the rights of this service.")
        .not_empty()
        .distinct()
        .example(std::vector<std::string>{"client:"});
}

} // namespace leat::routing
