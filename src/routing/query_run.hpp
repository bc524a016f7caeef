#pragma once

#include "redis/failure.hpp"
#include "redis/reply.hpp"
#include "routing/query_plan.hpp"

#include <boost/json/object.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace leat::routing {

// A planned query on its way. Pure: whoever owns it sends each round and brings the answers.
class query_run {
public:
    query_run(query_plan plan, const query_rules& rules);

    struct call {
        std::size_t step = 0;
        redis::command words;
    };
    // The calls of the next round, when all of the last are answered; none at the end.
    query_result<std::vector<call>> next();
    // A reply counts whether it is saved or not: Redis has made it, and it has come. After an error nothing more may be
    // asked.
    query_result<void> answered(std::size_t step, redis::reply given);
    query_fault failed(std::size_t step, const redis::failure& reason) const;

    // {"values":{..}}, in the order of the commands; `encoding` beside it names the values that are base64.
    boost::json::object result() const;

private:
    query_result<redis::command> fill_in(const query_step& step);
    query_result<const std::string*> value_of(const query_step& step, const query_word& word, const std::string& name);

    query_plan plan_;
    const query_rules& rules_;
    std::size_t round_ = 0;
    std::map<std::string, redis::reply, std::less<>> saved_;
    std::size_t received_ = 0; // bytes of all replies; the saved need as many in an answer, at least
};

// Whether it is no fault of the query, and will pass: the query is to be tried again.
bool is_passing(const redis::failure& reason);

} // namespace leat::routing
