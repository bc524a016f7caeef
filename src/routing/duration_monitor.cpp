#include "routing/processors.hpp"

namespace leat::routing {
namespace {

const config::spec<described>& spec() {
    static const config::spec<described> made{
        "DurationMonitor",
        "Measures the time of what comes after it.",
        R"(Counts each message with the time until its outcome comes back, reply or failure, in the metric
`duration:<name>`: count, sum and max in milliseconds, a histogram in milliseconds and one by tenths of the importer's `timeout`. `leat metrics`
shows it; there must be a `serviceNamespace`. With `--log-level debug` each time is logged, too.
)",
        {description_field()},
        {{"nothing to set", "description: How long the workers take\n"}}};
    return made;
}

class duration_monitor final : public processor {
public:
    duration_monitor(std::string name, const processor_context& context)
        : processor{std::move(name)}
        , counts_{context.counts}
        , log_{context.log} {}

    step forward(passage& on) override {
        on.note(passage::clock::now().time_since_epoch().count());
        return step::pass;
    }

    void back(passage& on, std::int64_t began) override {
        auto took = passage::clock::now().time_since_epoch() - passage::clock::duration{began};
        if (times_ == nullptr || queue_ != on.meta.queue) { // most routes have one importer
            queue_ = on.meta.queue;
            times_ = &counts_.of("duration:" + name(), on.meta.source());
        }
        times_->took(took, std::chrono::milliseconds{on.meta.timeout});
        if (log_->should_log(spdlog::level::debug)) {
            auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(took).count();
            log_->debug("duration={}ms processor={} messageId={}", milliseconds, name(), on.meta.message_id);
        }
    }

private:
    runtime::metrics& counts_;
    const std::string* queue_ = nullptr; // of the last message
    runtime::metrics::series* times_ = nullptr;
    base::log_ptr log_;
};

} // namespace

processor_type duration_monitor_type() {
    return processor_type_of<described>(
        {.spec = &spec(),
         .is = role::filter,
         .make = [](std::string name, const described&, const processor_context& context, const find_route&) {
             return std::make_unique<duration_monitor>(std::move(name), context);
         }});
}

} // namespace leat::routing
