#include "routing/reply_rule.hpp"

#include "base/unicode.hpp"
#include "store/keys.hpp"

#include <algorithm>

namespace leat::routing {

reply_rule::reply_rule(
    const std::string& in, std::optional<std::string> reply, std::vector<std::string> prefixes, taking::own_keys own)
    : made_for_answers_{store::replies_beside(in)}
    , reply_{std::move(reply)}
    , prefixes_{std::move(prefixes)}
    , own_{std::move(own)} {
}

base::result<reply_rule::answer_list> reply_rule::list_for(const std::string& named) const {
    if (named.empty() && !reply_) {
        return base::error{"there is no list for the answer: the message has no meta.reply, and `reply` is not set"};
    }
    if (named.empty() || named == reply_) {
        return answer_list{*reply_, false};
    }
    if (own_.hold(named)) {
        return base::error{"meta.reply names a key that the service lives on"};
    }
    if (!allows(named)) {
        return base::error{refusal(named)};
    }
    return answer_list{named, true};
}

bool reply_rule::allows(std::string_view named) const {
    if (prefixes_.empty()) {
        return named.starts_with(made_for_answers_) && named.size() > made_for_answers_.size();
    }
    return std::ranges::any_of(prefixes_, [named](const auto& prefix) { return named.starts_with(prefix); });
}

std::string reply_rule::refusal(const std::string& named) const {
    auto start = "meta.reply names `" + base::printable(named, 200) + "`, which ";
    if (prefixes_.empty()) {
        return start + (reply_ ? "is neither `reply` nor" : "is not") + " below `" + made_for_answers_ +
               "`; the setting replyPrefixes allows other lists";
    }
    return start + (reply_ ? "is not `reply`, and begins" : "begins") + " with none of the setting replyPrefixes";
}

} // namespace leat::routing
