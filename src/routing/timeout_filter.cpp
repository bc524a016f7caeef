#include "routing/processors.hpp"

namespace leat::routing {
namespace {

struct timeout_settings : described {
    std::int64_t timeout = 0;
};

const config::spec<timeout_settings>& spec() {
    static const config::spec<timeout_settings> made{
        "TimeoutFilter",
        "Limits the time of what comes after it.",
        R"(When no reply has come back within `timeout`, the message fails with `Timeout: <name> timeout (<n>ms)`, whatever it
waits for; an answer that comes later is counted and dropped. The importer's own timeout holds beside it.
)",
        {description_field(),
         config::field("timeout", &timeout_settings::timeout, "Longest time between here and the reply.")
             .required()
             .range(1, 86'400'000)
             .unit("ms")
             .example(std::int64_t{2000})},
        {{"two seconds", "timeout: 2000\n"}}};
    return made;
}

class timeout_filter final : public processor {
public:
    timeout_filter(std::string name, const timeout_settings& settings)
        : processor{std::move(name)}
        , longest_{settings.timeout} {}

    step forward(passage& on) override {
        on.limit(longest_);
        return step::pass;
    }

private:
    std::chrono::milliseconds longest_;
};

} // namespace

processor_type timeout_filter_type() {
    return processor_type_of<timeout_settings>(
        {.spec = &spec(),
         .is = role::filter,
         .make = [](std::string name, const timeout_settings& settings, const processor_context&, const find_route&) {
             return std::make_unique<timeout_filter>(std::move(name), settings);
         }});
}

} // namespace leat::routing
