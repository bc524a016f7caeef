#include "routing/intake.hpp"

#include <utility>

namespace leat::routing {

using taking::verdict;

// A passage and who waits for its end.
struct intake::vessel : passage {
    const std::string* original = nullptr;
    std::optional<taking::ticket> ticket;
    std::function<void(verdict)> then;
    std::optional<verdict> at_once; // it ended before anybody could wait
    bool starting = false;
};

intake::intake(
    std::string name, std::chrono::milliseconds timeout, bool json, engine& passages, route along,
    verdict_maker make_verdict, taking::work work)
    : name_{std::move(name)}
    , timeout_{timeout}
    , json_{json}
    , passages_{passages}
    , along_{std::move(along)}
    , make_verdict_{std::move(make_verdict)}
    , work_{std::move(work)} {
    work_.patience = std::chrono::ceil<std::chrono::seconds>(timeout_);
    work_.allowed = work_.patience;
    work_.decide = [this](const taking::taken& given, taking::ticket later) { return decide(given, later); };
    work_.abandon = [this] { abandon(); };
    work_.too_large = [this](const std::string& message, const std::string& reason) {
        if (admits_) {
            if (auto refused = admits_(message)) { // nobody could be told
                return std::move(*refused);
            }
        }
        passage over;
        over.outcome = message::error{"TooLarge", reason, {}};
        return make_verdict_(message, over);
    };
}

intake::~intake() = default;

intake::vessel& intake::launch(const taking::taken& given) {
    const auto& message = given.message;
    if (free_.empty()) {
        all_.push_back(std::make_unique<vessel>());
        free_.push_back(all_.back().get());
    }
    auto& one = *free_.back();
    free_.pop_back();
    auto now = passage::clock::now();
    one.original = &message;
    one.ticket.reset();
    one.then = {};
    one.at_once.reset();
    one.message = content{message};
    one.begin(along_, *this, now, now + timeout_);
    auto expires = std::chrono::system_clock::now().time_since_epoch() + timeout_;
    one.meta = {
        .message_id = ++messages_,
        .importer = &name_,
        .queue = &work_.in,
        .expires = std::chrono::duration_cast<std::chrono::milliseconds>(expires).count(),
        .timeout = timeout_.count(),
        .route = &along_,
        .trace_parent = {},
        .request = {},
        .delivery = given.delivery,
        .max_message_bytes = work_.max_message_bytes,
        .lease = given.lease};
    one.starting = true;
    std::string why;
    if (json_ && one.message.json(&why) == nullptr) {
        one.fail("SyntaxError", "the message is " + why);
        ended(one);
    } else {
        if (message.find(R"("traceparent")") != std::string::npos && one.message.json() != nullptr) {
            one.meta.trace_parent = message::asker_of(*one.message.json()).trace_parent;
        }
        passages_.start(one);
    }
    one.starting = false;
    return one;
}

// Its texts may be large, and the next message may come late.
void intake::set_free(vessel& one) {
    one.message = {};
    one.outcome = std::monostate{};
    one.writes.clear();
    free_.push_back(&one);
}

std::optional<verdict> intake::decide(const taking::taken& given, taking::ticket later) {
    if (admits_) {
        if (auto refused = admits_(given.message)) {
            return refused;
        }
    }
    auto& one = launch(given);
    if (one.at_once) {
        set_free(one);
        return std::move(one.at_once);
    }
    one.ticket = later;
    return std::nullopt;
}

void intake::import(std::string message, std::function<void(verdict)> then) {
    auto kept = std::make_shared<std::string>(std::move(message));
    taking::taken by_hand{*kept, 1, nullptr};
    auto& one = launch(by_hand);
    if (one.at_once) {
        set_free(one);
        return then(std::move(*one.at_once));
    }
    one.then = [kept, then = std::move(then)](verdict how) { then(std::move(how)); };
}

// What marks it as begun goes with it, or whoever takes it next would believe that it is at work here.
verdict intake::given_back(passage& over) {
    auto how = verdict::give_back();
    for (auto& each : over.writes) {
        if (each.keep < 0 && each.counts(true)) {
            how.pushes.push_back({.to = std::move(each.to), .message = std::move(each.text), .keep = each.keep});
        }
    }
    return how;
}

void intake::ended(passage& over) {
    auto& one = static_cast<vessel&>(over);
    if (!abandoning_) {
        bound(over);
    }
    auto how = abandoning_ ? given_back(over) : make_verdict_(*one.original, over);
    if (one.starting) {
        one.at_once = std::move(how);
        return;
    }
    auto ticket = std::exchange(one.ticket, std::nullopt);
    auto then = std::exchange(one.then, {});
    set_free(one);
    if (ticket) {
        ticket->decide(std::move(how));
    } else if (then) {
        then(std::move(how));
    }
}

// While it is known what a failure has to undo.
void intake::bound(passage& over) const {
    std::size_t largest = 0;
    bool failed = std::holds_alternative<message::error>(over.outcome);
    for (const auto& each : over.writes) {
        largest = each.counts(failed) && each.keep == 0 ? std::max(largest, each.text.size()) : largest;
    }
    if (const auto* reply = std::get_if<content>(&over.outcome); reply != nullptr && !reply->is_null()) {
        largest = std::max(largest, reply->text().size());
    }
    if (largest > work_.max_message_bytes) {
        over.fail(
            "TooLarge", "the result has " + std::to_string(largest) + " bytes, more than maxMessageBytes, " +
                            std::to_string(work_.max_message_bytes));
    }
}

void intake::abandon() {
    abandoning_ = true;
    passages_.abandon(*this, {"GivenUp", "leat stops"}, passage::clock::now());
    abandoning_ = false;
}

} // namespace leat::routing
