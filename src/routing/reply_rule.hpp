#pragma once

#include "base/result.hpp"
#include "taking/own_keys.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace leat::routing {

// Where an answer may go. A message names a list in `meta.reply`, and leat pushes there with its own rights, which
// whoever sent the message need not have: so it must be a list that is made for answers. Pure; every kind that answers
// where a message says asks it.
class reply_rule {
public:
    // `prefixes` are those of the setting replyPrefixes; with none, lists below `<in>:reply:` may be named.
    reply_rule(
        const std::string& in, std::optional<std::string> reply, std::vector<std::string> prefixes,
        taking::own_keys own);

    struct answer_list {
        std::string list;
        bool by_message = false; // the message has named it, so it may be anything
    };
    // `named` is empty when the message names no list. The error says why there is no list for the answer.
    base::result<answer_list> list_for(const std::string& named) const;

private:
    bool allows(std::string_view named) const;
    std::string refusal(const std::string& named) const;

    std::string made_for_answers_; // what the names of such lists begin with
    std::optional<std::string> reply_;
    std::vector<std::string> prefixes_;
    taking::own_keys own_;
};

} // namespace leat::routing
