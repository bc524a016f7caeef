#include "cli/demo/count.hpp"

#include <charconv>

namespace leat::cli {
namespace {

constexpr std::int64_t page = 5000;

} // namespace

boost::asio::awaitable<redis::result<demo_count>> count_messages(
    redis::link& server, std::string key, std::int64_t sent) {
    demo_count found;
    std::vector<std::uint32_t> seen(static_cast<std::size_t>(sent) + 1);
    std::int64_t previous = 0;
    for (std::int64_t offset = 0;; offset += page) {
        redis::command words{"LRANGE", key, std::to_string(-offset - page), std::to_string(-offset - 1)};
        auto answer = co_await server.call(std::move(words));
        if (!answer) {
            co_return answer.error();
        }
        auto texts = answer->texts();
        for (auto each = texts.rbegin(); each != texts.rend(); ++each) {
            std::int64_t number = 0;
            std::from_chars(each->data(), each->data() + each->size(), number);
            ++found.held;
            found.reordered += number < previous ? 1 : 0;
            previous = number;
            if (number >= 1 && number <= sent) {
                ++seen[static_cast<std::size_t>(number)];
            }
        }
        if (static_cast<std::int64_t>(texts.size()) < page) {
            break;
        }
    }
    for (std::size_t i = 1; i < seen.size(); ++i) {
        found.lost += seen[i] == 0 ? 1 : 0;
        found.duplicated += seen[i] > 1 ? seen[i] - 1 : 0;
    }
    co_return found;
}

} // namespace leat::cli
