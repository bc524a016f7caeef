#pragma once

#include "base/result.hpp"

#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace leat::message {

// How requests and answers travel in lists, for workers in any language:
//
//   {"meta":{"id":"..","deadline":1459103237000,"reply":"list"},"body":".."}    to a worker
//   {"meta":{"id":".."},"body":".."} or {"meta":{"id":".."},"error":{..}}       from it
//
// A body is text; one that is not UTF-8 is base64, and then `"encoding":"base64"` stands beside it. A worker may also
// give any other JSON as the body.

// What went wrong, as those see it who asked.
struct error {
    std::string name; // Timeout, ...; may be empty
    std::string message;
    std::string raw; // JSON as a worker gave it, when one did
};
std::string to_json(const error& told); // {"name":"..","message":".."}, or the object that was given

struct request {
    std::string id;
    std::int64_t deadline = 0; // milliseconds since 1970
    std::string reply;         // list for the answer
    std::string trace_parent;  // may be empty
    std::string_view body;
};
std::string write(const request& asked);

struct answer {
    std::string id;
    std::string body;     // the text itself; of other JSON, as it was written
    bool is_json = false; // the latter
    std::optional<message::error> error;
};
// The text of what is wrong with it when it is no answer.
base::result<answer> read_answer(std::string_view text);
// `id` is JSON: a text with its quotes, or a number.
std::string write_answer(std::string_view id, std::string_view body, bool is_json = false);
std::string write_error(std::string_view id, const error& told); // as it was given
// A text as JSON; what is not UTF-8 becomes U+FFFD.
std::string json_text(std::string_view text);

// What whoever asks may say of the request in its `meta`, when it is a JSON object.
struct asker {
    std::string id;
    std::string raw_id; // as it was written, quotes included; empty when there is none
    std::string reply;
    std::string trace_parent;
};
asker read_asker(std::string_view text);
asker asker_of(const boost::json::value& message);

} // namespace leat::message
