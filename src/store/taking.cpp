#include "store/taking.hpp"

#include "redis/digest.hpp"
#include "store/keys.hpp"
#include "store/run_verb.hpp"

#include <cstdlib>

namespace leat::store {

std::string name_of_large(std::string_view message) {
    return redis::sha1_hex(message) + ":" + std::to_string(message.size());
}

boost::asio::awaitable<redis::result<listed_takers>> list_takers(
    redis::link& server, std::string pending, std::int64_t first, std::int64_t most) {
    taking_keys keys{pending};
    list_takers_call given{.owners = keys.owners(), .pending = pending, .first = first, .max_count = most};
    auto answer = co_await run_verb<list_takers_outcome>(server, std::move(given));
    if (!answer) {
        co_return answer.error();
    }
    listed_takers found{answer->all, {}};
    constexpr std::size_t width = 8;
    auto& rows = answer->rows;
    for (std::size_t at = 0; at + width <= rows.size(); at += width) {
        auto number = [&rows, at](std::size_t offset) { return std::atoll(rows[at + offset].c_str()); };
        found.rows.push_back(
            {rows[at], number(1), number(2), rows[at + 3], rows[at + 4], rows[at + 5], rows[at + 6], number(7)});
    }
    co_return found;
}

} // namespace leat::store
