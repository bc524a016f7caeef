#include "routing/processors.hpp"

namespace leat::routing {
namespace {

std::int64_t milliseconds_now() {
    auto since = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(since).count();
}

const config::spec<described>& spec() {
    static const config::spec<described> made{
        "ExpiredFilter",
        "Stops messages, and replies, whose time is over.",
        R"(A message that comes here after `meta.expires`, the moment that its importer's `timeout` has set, fails with
`Expired: Expired message`; a reply that comes back after it with `Expired: Expired reply`. Put it where work begins that
nobody waits for any more.
)",
        {description_field()},
        {{"nothing to set", "description: What is late is not worth the work\n"}}};
    return made;
}

class expired_filter final : public processor {
public:
    using processor::processor;

    step forward(passage& on) override { return is_over(on) ? on.fail("Expired", "Expired message") : step::pass; }

    void back(passage& on, std::int64_t /*note*/) override {
        if (std::holds_alternative<content>(on.outcome) && is_over(on)) {
            on.fail("Expired", "Expired reply");
        }
    }

private:
    static bool is_over(const passage& on) { return on.meta.expires > 0 && on.meta.expires <= milliseconds_now(); }
};

} // namespace

processor_type expired_filter_type() {
    return processor_type_of<described>(
        {.spec = &spec(),
         .is = role::filter,
         .make = [](std::string name, const described&, const processor_context&, const find_route&) {
             return std::make_unique<expired_filter>(std::move(name));
         }});
}

} // namespace leat::routing
