#pragma once

#include "message/envelope.hpp"
#include "routing/query_plan.hpp"

#include <boost/json/object.hpp>

#include <string>

namespace leat::routing {

// A message that asks a query: the query itself, or a request (message/envelope.hpp) whose body is the query.
struct asked_query {
    message::asker by;
    bool is_body = false; // then the answer is the body of an answer
    query_result<query_plan> plan;
};
// No message that is longer is read at all, so that nobody is answered where its `meta` says.
inline constexpr std::size_t longest_query = 4 << 20;

asked_query read_asked(const std::string& message, const query_rules& rules);

// {"meta":{"id":".."},"values":{..}}, or without meta when the query has no id.
std::string write_result(const asked_query& asked, boost::json::object result);
std::string write_fault(const asked_query& asked, const query_fault& fault);

} // namespace leat::routing
