#include "redis/failure_policy.hpp"

namespace leat::redis {

namespace {
constexpr std::size_t most_logged = 10; // reasons of one class, in one fault; more say nothing new
}

failure_policy::reaction failure_policy::failed(
    const failure& what, bool connected, bool patient, clock::time_point now) {
    using says = reaction::says;
    ++failures_;
    if (went_well_ && now - failed_at_ >= quiet_) { // it was over, and nobody has asked since
        end();
    }
    failed_at_ = now;
    went_well_ = false;
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
    auto& logged = logged_[what.kind];
    if (logged.size() < most_logged && logged.insert(what.text).second) {
        bool by_person = what.kind == error_class::await_repair || what.kind == error_class::stop;
        made.log = by_person ? says::awaits_repair : says::waits;
    }
    return made;
}

bool failure_policy::answered(clock::time_point now) {
    went_well_ = true;
    if (failed_at_ != clock::time_point{} && now - failed_at_ < quiet_) {
        return false;
    }
    bool ends = !logged_.empty();
    end();
    return ends;
}

failure_policy::clock::time_point failure_policy::over_at() const {
    return logged_.empty() ? clock::time_point::max() : failed_at_ + quiet_;
}

void failure_policy::end() {
    failed_at_ = {};
    pause_.reset();
    until_ = {};
    logged_.clear();
}

} // namespace leat::redis
