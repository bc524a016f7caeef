#pragma once

#include "message/envelope.hpp"
#include "routing/content.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace leat::store {
struct lease_token;
struct output;
} // namespace leat::store

namespace leat::routing {

class passage;
class processor;

// Processors that a message goes through, one after the other.
using route = std::vector<processor*>;

// What travels along with a message.
struct meta {
    std::int64_t message_id = 0; // counts from 1 in this process
    const std::string* importer = nullptr;
    const std::string* queue = nullptr;       // that it was taken from, if any
    std::int64_t expires = 0;                 // milliseconds since 1970
    std::int64_t timeout = 0;                 // milliseconds that it has in all
    const routing::route* route = nullptr;    // as the importer has it
    std::string trace_parent;                 // as the message brought it
    std::string request;                      // id of the question that was last asked for it
    std::int64_t delivery = 1;                // 1 for the first delivery
    std::size_t max_message_bytes = 64 << 20; // of what is pushed for it
    // That it was taken under, on the importer's server; null when it was not taken from a queue.
    std::shared_ptr<const store::lease_token> lease;

    std::string source() const { return queue == nullptr ? std::string{} : *queue; } // for what is counted
};

// How a route ends for a message: there is nothing to say, there is a reply, or it failed.
using outcome = std::variant<std::monostate, content, message::error>;

// What is to be written when the message is settled, in the same step.
struct write {
    enum class when : std::uint8_t { done, failed, always };

    std::string to;
    std::string text;
    when if_it_is = when::done; // and not otherwise
    // Seconds: not pushed to a list, but the key `to` is set for so long; negative: it is deleted, if it is this text.
    std::int64_t keep = 0;

    bool counts(bool failed) const { return if_it_is == when::always || (if_it_is == when::failed) == failed; }
};

// Whoever has sent a message on its way hears when it is back.
class departure {
public:
    virtual void ended(passage& over) = 0;

protected:
    ~departure() = default;
};

// What is to be written of a passage that has ended as it has. It is taken out of the passage.
std::vector<store::output> outputs_of(passage& over);

// What a processor decides of a message that comes to it.
enum class step : std::uint8_t {
    pass,   // on to the next; the reply comes back by `back`
    follow, // on, but along another route
    end,    // here: it has set the outcome
    wait,   // for something that is not here yet; the engine is told by `resume` or `go_on`
};

// A message on its way along a route and back. Made, and used again, by whoever sends it; the engine moves it.
class passage {
public:
    using clock = std::chrono::steady_clock;

    // A fresh message for the same vessel.
    void begin(const routing::route& along, departure& from, clock::time_point now, clock::time_point deadline);

    content message;
    routing::meta meta;
    routing::outcome outcome;
    std::vector<write> writes;

    clock::time_point now() const { return now_; } // when it last came or woke
    clock::time_point deadline() const;            // the earliest on its way

    // --- for processors, of the step that they decide

    step reply(content with);
    step fail(std::string name, std::string why);
    step follow(const routing::route& instead);
    // A number to find again in `back`.
    void note(std::int64_t number) { note_ = number; }
    // What comes after this processor, or what it waits for, may take so long; then it fails as its Timeout.
    void limit(std::chrono::milliseconds longest) { limit_ = longest; }
    // The name by which the engine knows it while it waits.
    std::uint64_t number() const { return number_; }

private:
    friend class engine;
    struct frame {
        processor* passed;
        std::int64_t note;
        std::chrono::milliseconds limit; // 0: none
        clock::time_point deadline;
    };

    const routing::route* route_ = nullptr;
    std::size_t at_ = 0;
    std::vector<frame> frames_;
    departure* from_ = nullptr;
    clock::time_point now_;
    clock::time_point deadline_; // of the whole
    std::uint64_t number_ = 0;
    std::int64_t note_ = 0;
    std::chrono::milliseconds limit_{0};
};

} // namespace leat::routing
