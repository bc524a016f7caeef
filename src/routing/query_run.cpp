#include "routing/query_run.hpp"

#include "base/unicode.hpp"
#include "routing/query_values.hpp"

namespace leat::routing {

namespace json = boost::json;

query_run::query_run(query_plan plan, const query_rules& rules)
    : plan_{std::move(plan)}
    , rules_{rules} {
}

query_result<std::vector<query_run::call>> query_run::next() {
    std::vector<call> calls;
    if (round_ == plan_.rounds.size()) {
        return calls;
    }
    for (auto step : plan_.rounds[round_]) {
        auto words = fill_in(plan_.steps[step]);
        if (!words) {
            return words.error();
        }
        calls.push_back({step, std::move(*words)});
    }
    ++round_;
    return calls;
}

query_result<redis::command> query_run::fill_in(const query_step& step) {
    redis::command words;
    for (const auto& word : step.words) {
        auto& made = words.emplace_back();
        for (const auto& piece : word.pieces) {
            if (!piece.is_name) {
                made += piece.text;
                continue;
            }
            auto value = value_of(step, word, piece.text);
            if (!value) {
                return value.error();
            }
            plan_.bytes += (*value)->size();
            if (plan_.bytes > rules_.max_bytes) {
                return too_much_sent(step, rules_);
            }
            made += **value;
        }
    }
    if (step.needs_saved) {
        auto checked = check_words(step, words, rules_);
        if (!checked) {
            return checked.error();
        }
    }
    return words;
}

query_result<const std::string*> query_run::value_of(
    const query_step& step, const query_word& word, const std::string& name) {
    using type = redis::node::type;
    auto found = saved_.find(name);
    auto shown = "`$" + base::printable(name, 60) + "`";
    if (found == saved_.end() || found->second.nodes.empty() || found->second.nodes.front().is == type::null) {
        return query_fault{
            query_faults::missing_value,
            step.where + ": " + shown + " is null, so there is no `" + word.shown() + "` to ask for"};
    }
    const auto& value = found->second.nodes.front();
    if (value.is == type::group) {
        return query_fault{
            query_faults::bad_query,
            step.where + ": " + shown + " is a list or a map, and cannot be part of a command"};
    }
    return &value.text;
}

query_result<void> query_run::answered(std::size_t step, redis::reply given) {
    const auto& asked = plan_.steps[step];
    for (const auto& each : given.nodes) {
        received_ += each.text.size() + 1;
    }
    if (received_ > rules_.max_answer) {
        return query_fault{
            query_faults::too_large, asked.where + ": up to here the replies are larger than maxAnswer, " +
                                         std::to_string(rules_.max_answer) + " bytes"};
    }
    if (asked.save.empty()) {
        return {};
    }
    saved_.insert_or_assign(asked.save, std::move(given));
    return {};
}

query_fault query_run::failed(std::size_t step, const redis::failure& reason) const {
    auto name = reason.text.starts_with("NOPERM") ? query_faults::not_allowed : query_faults::redis_error;
    return {name, plan_.steps[step].where + ": " + base::printable(reason.text, 200)};
}

json::object query_run::result() const {
    json::object values;
    json::object encoding;
    for (const auto& step : plan_.steps) {
        auto found = saved_.find(step.save);
        if (found == saved_.end()) {
            continue;
        }
        bool as_text = is_text(found->second);
        values.emplace(step.save, to_json(found->second, step.command->is_map, as_text));
        if (!as_text) {
            encoding.emplace(step.save, "base64");
        }
    }
    json::object made;
    made.emplace("values", std::move(values));
    if (!encoding.empty()) {
        made.emplace("encoding", std::move(encoding));
    }
    return made;
}

bool is_passing(const redis::failure& reason) {
    using redis::error_class;
    switch (reason.kind) {
    case error_class::retry:
    case error_class::find_server:
    case error_class::pause_intake:
        return true;
    case error_class::await_repair: // a wrong type, a wrong number of arguments: as the query asked for it
    case error_class::no_script:
        return false;
    case error_class::stop:
        break;
    }
    return reason.text.starts_with("NOAUTH"); // which is of the connection, not of the query
}

} // namespace leat::routing
