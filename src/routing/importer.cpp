#include "routing/importer.hpp"

#include <utility>

namespace leat::routing {

using taking::verdict;

// A passage and who waits for its end.
struct importer::vessel : passage {
    const std::string* original = nullptr;
    std::optional<taking::ticket> ticket;
    std::function<void(verdict)> then;
    std::optional<verdict> at_once; // it ended before anybody could wait
    bool starting = false;
};

importer::importer(
    std::string name, std::chrono::milliseconds timeout, bool json, engine& moves, route along, judge judged,
    taking::work work)
    : name_{std::move(name)}
    , timeout_{timeout}
    , json_{json}
    , moves_{moves}
    , along_{std::move(along)}
    , judge_{std::move(judged)}
    , work_{std::move(work)} {
    work_.patience = std::chrono::ceil<std::chrono::seconds>(timeout_);
    work_.allowed = work_.patience;
    work_.decide = [this](const taking::taken& given, taking::ticket later) { return decide(given, later); };
    work_.give_up = [this] { give_up(); };
}

importer::~importer() = default;

importer::vessel& importer::launch(const std::string& message, std::int64_t delivery) {
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
        .expires = std::chrono::duration_cast<std::chrono::milliseconds>(expires).count(),
        .timeout = timeout_.count(),
        .route = &along_,
        .trace_parent = {},
        .request = {},
        .delivery = delivery};
    one.starting = true;
    std::string why;
    if (json_ && one.message.json(&why) == nullptr) {
        one.fail("SyntaxError", "the message is " + why);
        ended(one);
    } else {
        if (message.find(R"("traceparent")") != std::string::npos && one.message.json() != nullptr) {
            one.meta.trace_parent = message::asker_of(*one.message.json()).trace_parent;
        }
        moves_.start(one);
    }
    one.starting = false;
    return one;
}

std::optional<verdict> importer::decide(const taking::taken& given, taking::ticket later) {
    if (admits_) {
        if (auto refused = admits_(given.message)) {
            return refused;
        }
    }
    auto& one = launch(given.message, given.delivery);
    if (one.at_once) {
        free_.push_back(&one);
        return std::move(one.at_once);
    }
    one.ticket = later;
    return std::nullopt;
}

void importer::import(std::string message, std::function<void(verdict)> then) {
    auto kept = std::make_shared<std::string>(std::move(message));
    auto& one = launch(*kept, 1);
    if (one.at_once) {
        free_.push_back(&one);
        return then(std::move(*one.at_once));
    }
    one.then = [kept, then = std::move(then)](verdict how) { then(std::move(how)); };
}

void importer::ended(passage& over) {
    auto& one = static_cast<vessel&>(over);
    auto how = giving_up_ ? verdict::give_back() : judge_(*one.original, over);
    if (one.starting) {
        one.at_once = std::move(how);
        return;
    }
    auto ticket = std::exchange(one.ticket, std::nullopt);
    auto then = std::exchange(one.then, {});
    free_.push_back(&one);
    if (ticket) {
        ticket->decide(std::move(how));
    } else if (then) {
        then(std::move(how));
    }
}

void importer::give_up() {
    giving_up_ = true;
    moves_.give_up(*this, {"GivenUp", "leat stops"}, passage::clock::now());
    giving_up_ = false;
}

} // namespace leat::routing
