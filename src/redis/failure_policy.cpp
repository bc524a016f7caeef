#include "redis/failure_policy.hpp"

namespace leat::redis {

namespace {
constexpr std::size_t most_logged = 10; // reasons of one fault; more say nothing new
}

failure_policy::reaction failure_policy::failed(
    const failure& what, bool connected, bool patient, clock::time_point now) {
    using says = reaction::says;
    ++failures_;
    failed_at_ = now;
    if (what.kind == error_class::stop && !patient) {
        return {.log = says::stops, .goes_on = false};
    }
    bool of_server = what.kind == error_class::find_server;
    if (of_server && !connected) {
        return {.looks_up = true};
    }
    reaction made{.looks_up = of_server};
    if (now >= until_) {
        until_ = now + pause_.next();
    }
    made.pause = until_ - now;
    if (logged_.size() < most_logged && logged_.insert(what.text).second) {
        bool by_person = what.kind == error_class::await_repair || what.kind == error_class::stop;
        made.log = by_person ? says::awaits_repair : says::waits;
    }
    return made;
}

bool failure_policy::answered(clock::time_point now) {
    if (failed_at_ != clock::time_point{} && now - failed_at_ < quiet_) {
        return false;
    }
    failed_at_ = {};
    pause_.reset();
    until_ = {};
    bool ends = !logged_.empty();
    logged_.clear();
    return ends;
}

} // namespace leat::redis
