#include "redis/failure_policy.hpp"

namespace leat::redis {

failure_policy::reaction failure_policy::failed(
    const failure& what, bool connected, bool patient, clock::time_point now) {
    using says = reaction::says;
    ++failures_;
    if (what.kind == error_class::stop && !patient) {
        return {.log = says::gives_up, .goes_on = false};
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
    if (!failing_ || logged_ != what.text) {
        bool by_person = what.kind == error_class::await_repair || what.kind == error_class::stop;
        made.log = by_person ? says::awaits_repair : says::waits;
        failing_ = true;
        logged_ = what.text;
    }
    return made;
}

bool failure_policy::answered() {
    pause_.reset();
    until_ = {};
    logged_.clear();
    return std::exchange(failing_, false);
}

} // namespace leat::redis
