#include "routing/metrics_writer.hpp"

#include "store/keys.hpp"
#include "store/scripts.hpp"

namespace leat::routing {

metrics_writer::metrics_writer(
    const runtime::context& given, const runtime::service_settings& settings, const std::string& redis) {
    if (settings.service_namespace) {
        store::message_keys keys{*settings.service_namespace};
        auto server = redis::parse_url(settings.service_redis.value_or(redis)).value();
        place_ = {server, *settings.service_namespace, keys.done()};
        server_ = &given.redis.link_of(server, given.client_name, given.log);
        metrics_ = keys.metrics();
    }
}

boost::asio::awaitable<void> metrics_writer::write(tally& counted) {
    auto all = counted.take();
    for (const auto& [name, each] : all) {
        if (server_ == nullptr) {
            continue;
        }
        store::tally_call given{
            .metric = metrics_ + name,
            .count = each.count,
            .sum = each.is_time ? each.sum : -1,
            .max = each.max,
            .tenths = {}};
        for (auto times : each.tenths) {
            given.tenths.push_back(std::to_string(times));
        }
        auto written = co_await store::tally(*server_, std::move(given));
        if (!written && !written.error().outcome_unknown) {
            counted.give_back(name, each);
        }
    }
}

} // namespace leat::routing
