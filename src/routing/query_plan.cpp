#include "routing/query_plan.hpp"

#include "base/unicode.hpp"
#include "config/problem.hpp"

#include <algorithm>

namespace leat::routing {
namespace {

query_fault bad(std::string message) {
    return {query_faults::bad_query, std::move(message)};
}

query_fault outside(const query_step& step, const std::string& shown) {
    return {query_faults::key_not_allowed, step.where + ": the key `" + shown + "` is outside the prefixes"};
}

query_result<void> find_command(query_step& step, const query_rules& rules) {
    const auto& first = step.words.front();
    if (first.has_names()) {
        return bad(step.where + ": the name of a command cannot be a parameter");
    }
    auto name = first.known_start();
    auto shown = step.where + ": `" + first.shown() + "`";
    step.command = find_query_command(name);
    if (step.command == nullptr) {
        static const auto reads = query_command_names(false);
        return query_fault{
            query_faults::not_allowed, shown + " is no command of queries" + config::did_you_mean(name, reads)};
    }
    auto is_it = [&step](const std::string& allowed) { return find_query_command(allowed) == step.command; };
    if (step.command->writes && std::ranges::none_of(rules.allow, is_it)) {
        return query_fault{query_faults::not_allowed, shown + " writes, and `allow` does not name it"};
    }
    if (step.words.size() < 2) {
        return bad(shown + " needs a key");
    }
    return {};
}

// Makes the plan of one query, step by step.
class planner {
public:
    planner(query_text query, const query_rules& rules)
        : query_{std::move(query)}
        , rules_{rules} {}

    query_result<query_plan> plan() {
        for (auto& each : query_.steps) {
            query_step step{std::move(each)};
            auto added = find_command(step, rules_);
            if (added) {
                added = fill_in(step);
            }
            if (added) {
                added = step.needs_saved ? check_starts(step) : check_complete(step);
            }
            if (added) {
                added = add(std::move(step));
            }
            if (!added) {
                return added.error();
            }
        }
        return std::move(plan_);
    }

private:
    // Puts the parameters into the words, and looks for the other names among the saved.
    query_result<void> fill_in(query_step& step) {
        for (auto& word : step.words) {
            query_word made;
            for (const auto& piece : word.pieces) {
                auto parameter = piece.is_name ? query_.parameters.find(piece.text) : query_.parameters.end();
                if (piece.is_name && parameter == query_.parameters.end()) {
                    if (!saved_.contains(piece.text)) {
                        return missing(step, piece.text);
                    }
                    step.needs_saved = true;
                    made.add_name(piece.text);
                    continue;
                }
                const auto& text = piece.is_name ? parameter->second : piece.text;
                plan_.bytes += text.size();
                if (plan_.bytes > rules_.max_bytes) {
                    return too_much_sent(step, rules_);
                }
                made.add_text(text);
            }
            word = std::move(made);
        }
        return {};
    }

    query_fault missing(const query_step& step, std::string_view name) const {
        constexpr std::size_t most = 100; // names that it is compared with
        std::vector<std::string> known;
        auto add_names = [&known](const auto& map) {
            for (const auto& each : map) {
                if (known.size() < most) {
                    known.push_back(each.first);
                }
            }
        };
        add_names(saved_);
        add_names(query_.parameters);
        return {
            query_faults::missing_parameter, step.where + ": nothing before it gives `$" + base::printable(name, 60) +
                                                 "` a value" + config::did_you_mean(name, known)};
    }

    query_result<void> check_complete(const query_step& step) const {
        redis::command words;
        for (const auto& each : step.words) {
            words.emplace_back(each.known_start());
        }
        return check_words(step, words, rules_);
    }

    // No value can bring a key into the prefixes that begins otherwise.
    query_result<void> check_starts(const query_step& step) const {
        for (auto argument : key_places(*step.command, step.words.size())) {
            const auto& key = step.words[argument];
            auto start = key.known_start();
            auto may_be = [&key, start](const std::string& prefix) {
                return start.starts_with(prefix) || (key.has_names() && prefix.starts_with(start));
            };
            if (std::ranges::none_of(rules_.prefixes, may_be)) {
                return outside(step, key.shown());
            }
        }
        return {};
    }

    query_result<void> add(query_step step) {
        auto number = plan_.steps.size();
        auto round = round_of(step);
        next_ = std::max(next_, round + 1);
        if (step.command->writes) {
            after_write_ = next_;
        }
        plan_.rounds.resize(next_);
        plan_.rounds[round].push_back(number);
        if (!step.save.empty()) {
            bool is_new = saved_.emplace(step.save, round).second;
            if (!is_new || query_.parameters.contains(step.save)) {
                return bad(step.where + ": the name is taken, by a parameter or a command before it");
            }
        }
        plan_.steps.push_back(std::move(step));
        return {};
    }

    std::size_t round_of(const query_step& step) const {
        if (step.command->writes) {
            return next_;
        }
        auto round = after_write_;
        for (const auto& word : step.words) {
            for (const auto& piece : word.pieces) {
                if (piece.is_name) {
                    round = std::max(round, saved_.find(piece.text)->second + 1);
                }
            }
        }
        return round;
    }

    query_text query_;
    const query_rules& rules_;
    query_plan plan_;
    std::map<std::string, std::size_t, std::less<>> saved_; // and the round that brings it
    std::size_t after_write_ = 0;                           // the first round after the last write
    std::size_t next_ = 0;                                  // the first round after all
};

} // namespace

query_result<query_plan> plan_query(const boost::json::value& query, const query_rules& rules) {
    auto read = read_query(query, rules.max_commands);
    if (!read) {
        return read.error();
    }
    return planner{std::move(*read), rules}.plan();
}

query_result<void> check_words(const query_step& step, const redis::command& words, const query_rules& rules) {
    for (auto argument : key_places(*step.command, words.size())) {
        const auto& key = words[argument];
        if (std::ranges::none_of(rules.prefixes, [&key](const auto& prefix) { return key.starts_with(prefix); })) {
            return outside(step, base::printable(key, 60));
        }
    }
    auto count = step.command->count_at;
    if (count > 0 && count < words.size() && words[count].starts_with('-')) {
        return bad(step.where + ": the count must not be negative");
    }
    return {};
}

query_fault too_much_sent(const query_step& step, const query_rules& rules) {
    return {
        query_faults::too_large, step.where + ": up to here the commands send more than maxBytes, " +
                                     std::to_string(rules.max_bytes) + " bytes"};
}

} // namespace leat::routing
