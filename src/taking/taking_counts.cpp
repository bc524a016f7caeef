#include "taking/taking_counts.hpp"

#include "store/keys.hpp"

namespace leat::taking {

using scope = runtime::metrics::scope;

taking_counts::taking_counts(
    const runtime::context& given, std::string in, const redis::link& calls, std::optional<name_space_home> name_space)
    : all_{given.metrics}
    , in_{std::move(in)}
    , name_{given.name}
    , settled_{all_.of("settled", in_, scope::service)} {
    if (name_space) {
        home_ = std::move(*name_space);
        is_here_ = &given.redis.link_of(home_.server, given.client_name, given.log) == &calls;
        store::message_keys keys{home_.name_space};
        metrics_ = keys.metrics();
        messages_ = keys.prefix();
    }
}

std::string taking_counts::service() const {
    return home_.name_space.empty() ? name_ : home_.name_space + ":" + std::to_string(service_id_);
}

void taking_counts::took(const hand::choice& settled, taker::clock::time_point sent) {
    for (auto each : settled.which) {
        if (each->decided->is == verdict::type::done) {
            settled_.took(sent - each->taken);
        }
    }
}

void taking_counts::settled(const taker::counts& seen) {
    count("retry", seen.retry);
    count("dead", seen.dead);
    if (!is_here_ && seen.done > 0) { // the times of a total are whole seconds
        all_.of("settled", {}, scope::total).add(seen.done);
    }
}

void taking_counts::recovered(std::int64_t returned, std::int64_t buried) {
    recovered_ += returned;
    buried_ += buried;
    count("dead", buried);
    count("recovered", returned);
}

void taking_counts::failed() {
    all_.of("error", in_).add();
}

void taking_counts::count(std::string_view name, std::int64_t number) {
    if (number > 0) {
        all_.of(name, in_, is_here_ ? scope::service : scope::both).add(number);
    }
}

void taking_counts::log_end(spdlog::logger& log, const taker::counts& totals, std::uint64_t failures) const {
    log.info(
        "ended done={} failed={} dead={} recovered={} failures={}", totals.done, totals.retry, totals.dead + buried_,
        recovered_, failures);
}

} // namespace leat::taking
