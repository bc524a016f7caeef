#include "inspect/peek.hpp"

#include "base/unicode.hpp"
#include "inspect/details.hpp"
#include "inspect/trouble.hpp"
#include "message/base64.hpp"

#include <algorithm>
#include <cstdlib>

namespace leat::inspect {
namespace {

using boost::asio::awaitable;

// From the oldest on.
awaitable<void> peek_oldest(page_reader& pages, const peek_range& range, const peek_filter& wanted, peeking& seen) {
    while (seen.looked < seen.scan && static_cast<std::int64_t>(seen.found.size()) < range.count) {
        auto most = std::min<std::int64_t>(100, seen.scan - seen.looked);
        auto page = co_await pages.read(range.skip + seen.looked, most);
        seen.length = pages.length();
        for (auto& each : page) {
            auto place = range.skip + seen.looked++;
            if (static_cast<std::int64_t>(seen.found.size()) < range.count && wanted(each, seen.now)) {
                seen.found.push_back({place, std::move(each)});
            }
        }
        if (page.empty()) {
            co_return;
        }
    }
}

// From the newest on: in pages, each read from its older end.
awaitable<void> peek_newest(page_reader& pages, const peek_range& range, const peek_filter& wanted, peeking& seen) {
    auto upper = seen.length - range.skip;
    while (upper > 0 && seen.looked < seen.scan && static_cast<std::int64_t>(seen.found.size()) < range.count) {
        auto lower = std::max<std::int64_t>(0, upper - std::min<std::int64_t>(100, seen.scan - seen.looked));
        std::vector<store::peeked_message> page;
        while (lower + static_cast<std::int64_t>(page.size()) < upper) {
            auto read = static_cast<std::int64_t>(page.size());
            auto part = co_await pages.read(lower + read, upper - lower - read);
            if (part.empty()) {
                break;
            }
            std::ranges::move(part, std::back_inserter(page));
        }
        for (auto at = page.size(); at-- > 0;) {
            ++seen.looked;
            if (static_cast<std::int64_t>(seen.found.size()) < range.count && wanted(page[at], seen.now)) {
                seen.found.push_back({lower + static_cast<std::int64_t>(at), std::move(page[at])});
            }
        }
        upper = lower;
    }
}

config::value as_value(const seen_message& one) {
    using config::value;
    auto made = value::of_map();
    made.set("place", value::of_whole(one.place));
    made.set("size", value::of_whole(static_cast<std::int64_t>(one.what.message.size())));
    if (base::first_bad_byte(one.what.message) == std::string::npos) {
        made.set("message", value::of_text(one.what.message));
    } else {
        made.set("message", value::of_text(message::to_base64(one.what.message)));
        made.set("encoding", value::of_text("base64"));
    }
    if (!one.what.story.empty()) {
        auto details = read_json(one.what.story);
        made.set("story", details.is_map() ? details : value::of_text(base::printable(one.what.story, 10'000)));
    }
    return made;
}

} // namespace

awaitable<std::vector<store::peeked_message>> page_reader::read(std::int64_t first, std::int64_t most) {
    auto page = checked(server_, co_await store::peek(server_, queue_, first, most, largest_));
    length_ = page.length;
    largest_ = page.largest;
    co_return std::move(page.messages);
}

awaitable<std::int64_t> length_of(redis::link& server, std::string list) {
    page_reader pages{server, std::move(list)};
    co_await pages.read(0, 0);
    co_return pages.length();
}

awaitable<std::int64_t> count_messages(
    redis::link& server, count_range range, std::function<bool(const store::peeked_message&)> wanted,
    std::function<void(std::int64_t)> looked) {
    page_reader pages{server, std::move(range.queue)};
    std::int64_t found = 0;
    for (std::int64_t first = 0; first < range.scan && (range.most == 0 || found < range.most);) {
        auto page = co_await pages.read(first, 500);
        if (page.empty()) {
            break;
        }
        found += std::ranges::count_if(page, wanted);
        first += static_cast<std::int64_t>(page.size());
        looked(first);
    }
    co_return range.most > 0 ? std::min(range.most, found) : found;
}

awaitable<std::int64_t> server_seconds(redis::link& server) {
    redis::command ask{"TIME"};
    auto time = checked(server, co_await server.call(std::move(ask)));
    auto texts = time.texts();
    co_return texts.empty() ? 0 : std::atoll(std::string{texts.front()}.c_str());
}

awaitable<peeking> peek(redis::link& server, peek_range range, peek_filter wanted) {
    peeking seen;
    seen.now = co_await server_seconds(server);
    seen.length = co_await length_of(server, range.queue);
    seen.scan = range.scan > 0 ? range.scan : range.count;
    page_reader pages{server, range.queue};
    if (range.newest) {
        co_await peek_newest(pages, range, wanted, seen);
    } else {
        co_await peek_oldest(pages, range, wanted, seen);
    }
    co_return seen;
}

config::value as_value(const peeking& seen) {
    std::vector<config::value> list;
    list.reserve(seen.found.size());
    for (const auto& each : seen.found) {
        list.push_back(as_value(each));
    }
    return config::value::of_list(std::move(list));
}

} // namespace leat::inspect
