#include "routing/engine.hpp"

#include "routing/processor.hpp"
#include "store/settlement.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

namespace leat::routing {

void passage::begin(const routing::route& along, departure& from, clock::time_point now, clock::time_point deadline) {
    route_ = &along;
    at_ = 0;
    frames_.clear();
    from_ = &from;
    now_ = now;
    deadline_ = deadline;
    outcome = std::monostate{};
    writes.clear();
    number_ = 0;
    meta.route = &along;
}

passage::clock::time_point passage::deadline() const {
    auto earliest = deadline_;
    for (const auto& each : frames_) {
        if (each.limit.count() > 0) {
            earliest = std::min(earliest, each.deadline);
        }
    }
    return earliest;
}

std::vector<store::output> outputs_of(passage& over) {
    bool failed = std::holds_alternative<message::error>(over.outcome);
    std::vector<store::output> made;
    made.reserve(over.writes.size() + 1); // and a reply
    for (auto& each : over.writes) {
        if (each.counts(failed)) {
            made.push_back({.to = std::move(each.to), .message = std::move(each.text), .keep = each.keep});
        }
    }
    over.writes.clear(); // its memory serves the next message
    return made;
}

step passage::reply(content with) {
    outcome = std::move(with);
    return step::end;
}

step passage::fail(std::string name, std::string why) {
    outcome = message::error{std::move(name), std::move(why)};
    return step::end;
}

step passage::follow(const routing::route& instead) {
    route_ = &instead;
    at_ = 0;
    return step::follow;
}

void engine::start(passage& on) {
    on.number_ = next_number_++;
    run(on);
}

void engine::run(passage& on) {
    for (;;) {
        if (on.at_ >= on.route_->size()) { // the routes of a configuration are checked; this is for those made by hand
            on.fail("NoRoute", "the route ends, and nobody has answered");
            return go_back(on);
        }
        auto& next = *(*on.route_)[on.at_++];
        on.note_ = 0;
        on.limit_ = std::chrono::milliseconds{0};
        switch (next.forward(on)) {
        case step::pass:
        case step::follow:
            on.frames_.push_back({&next, on.note_, on.limit_, on.now_ + on.limit_});
            break;
        case step::end:
            return go_back(on);
        case step::wait:
            return wait(on, next);
        }
    }
}

void engine::go_back(passage& on) {
    while (!on.frames_.empty()) {
        auto last = on.frames_.back();
        on.frames_.pop_back();
        last.passed->back(on, last.note);
    }
    on.from_->ended(on);
}

void engine::wait(passage& on, processor& where) {
    on.frames_.push_back(
        {&where, on.note_, on.limit_, on.now_ + on.limit_}); // until it is back: then it goes, or stays
    waiting_.emplace(on.number_, &on);
    auto [place, is_new] = deadlines_.emplace(on.deadline(), ~on.number_);
    if (place == deadlines_.begin()) {
        earlier_();
    }
}

passage* engine::take(std::uint64_t number, clock::time_point now) {
    auto found = waiting_.find(number);
    if (found == waiting_.end()) {
        ++late_;
        return nullptr;
    }
    auto* on = found->second;
    waiting_.erase(found);
    deadlines_.erase({on->deadline(), ~number});
    on->now_ = now;
    on->number_ = next_number_++; // whoever answers a second time means one that has ended
    return on;
}

bool engine::resume(std::uint64_t number, outcome how, clock::time_point now) {
    auto* on = take(number, now);
    if (on != nullptr) {
        on->frames_.pop_back(); // the one that waited has nothing to say any more
        on->outcome = std::move(how);
        go_back(*on);
    }
    return on != nullptr;
}

bool engine::go_on(std::uint64_t number, clock::time_point now) {
    auto* on = take(number, now);
    if (on != nullptr) {
        run(*on);
    }
    return on != nullptr;
}

passage* engine::find(std::uint64_t number) const {
    auto found = waiting_.find(number);
    return found == waiting_.end() ? nullptr : found->second;
}

engine::clock::time_point engine::next_deadline() const {
    return deadlines_.empty() ? clock::time_point::max() : deadlines_.begin()->first;
}

message::error engine::timeout_of(const passage& on) {
    auto earliest = on.deadline();
    for (const auto& each : on.frames_) {
        if (each.limit.count() > 0 && each.deadline == earliest) {
            return {"Timeout", fmt::format("{} timeout ({}ms)", each.passed->name(), each.limit.count())};
        }
    }
    const auto& importer = on.meta.importer != nullptr ? *on.meta.importer : "";
    return {"Timeout", fmt::format("{} timeout ({}ms)", importer, on.meta.timeout)};
}

void engine::expire(clock::time_point now) {
    while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
        auto number = ~deadlines_.begin()->second;
        auto& on = *waiting_.at(number);
        auto error = timeout_of(on);
        on.frames_.back().passed->left(number);
        resume(number, std::move(error), now);
    }
}

void engine::forget(std::uint64_t number) {
    auto found = waiting_.find(number);
    if (found != waiting_.end()) {
        found->second->frames_.back().passed->left(number);
        deadlines_.erase({found->second->deadline(), ~number});
        waiting_.erase(found);
    }
}

void engine::abandon(const departure& from, const message::error& why, clock::time_point now) {
    std::vector<std::uint64_t> meant;
    for (const auto& [number, on] : waiting_) {
        if (on->from_ == &from) {
            meant.push_back(number);
        }
    }
    for (auto number : meant) {
        if (auto* on = find(number)) { // the end of one may end another
            on->frames_.back().passed->left(number);
            resume(number, why, now);
        }
    }
}

} // namespace leat::routing
