// Whatever a query holds: it is planned or refused, and what it would send has the keys and the commands that are
// allowed, whatever values come back.
#include "routing/query_message.hpp"
#include "routing/query_run.hpp"

#include <algorithm>
#include <cstdlib>

using namespace leat;

namespace {

void need(bool holds) {
    if (!holds) {
        std::abort();
    }
}

const routing::query_rules rules{.prefixes = {"a:", "b:"}, .allow = {"set", "hset"}};

bool is_lower(char one, std::string_view other, std::size_t at) {
    return at < other.size() && std::tolower(static_cast<unsigned char>(one)) == other[at];
}

bool is_one_of(const std::string& word, std::initializer_list<std::string_view> names) {
    return std::ranges::any_of(names, [&word](std::string_view name) {
        bool same = word.size() == name.size();
        for (std::size_t i = 0; same && i < word.size(); ++i) {
            same = is_lower(word[i], name, i);
        }
        return same;
    });
}

void check(const redis::command& words) {
    need(words.size() >= 2);
    need(words[1].starts_with("a:") || words[1].starts_with("b:")); // every command of the table has its key first
    need(!is_one_of(words[0], {"eval", "flushall", "config", "keys", "scan", "del", "lpush", "sort", "script"}));
}

// Answers that bite: what a later command uses.
redis::reply reply_for(std::size_t round, std::string_view text) {
    using type = redis::node::type;
    redis::reply made;
    switch (round % 4) {
    case 0:
        made.nodes.push_back({type::text, 0, std::string{text}});
        break;
    case 1:
        made.nodes.push_back({type::whole, 0, "7"});
        break;
    case 2:
        made.nodes.push_back({type::null, 0, ""});
        break;
    default:
        made.nodes.push_back({type::group, 0, ""});
        made.nodes.push_back({type::text, 1, "x y\" $z"});
        break;
    }
    return made;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string text{reinterpret_cast<const char*>(data), size};
    auto asked = routing::read_asked(text, rules);
    if (!asked.plan) {
        need(!routing::write_fault(asked, asked.plan.error()).empty());
        return 0;
    }
    auto plan = std::move(*asked.plan);
    need(plan.steps.size() <= rules.max_commands);
    routing::query_run run{std::move(plan), rules};
    for (std::size_t round = size;; ++round) {
        auto calls = run.next();
        if (!calls || calls->empty()) {
            break;
        }
        for (auto& each : *calls) {
            check(each.words);
            if (!run.answered(each.step, reply_for(round, text.substr(0, 40)))) {
                return 0;
            }
        }
    }
    routing::write_result(asked, run.result());
    return 0;
}
