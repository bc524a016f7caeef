#include "taking/lease_calls.hpp"

#include "base/point.hpp"
#include "base/process_identity.hpp"
#include "base/random_name.hpp"
#include "store/settlement.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>

namespace leat::taking {

using clock = taker::clock;

namespace {

std::string host_name() {
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

} // namespace

called lease_calls::open() {
    auto token = base::random_name(32);
    store::open_lease_call given{
        .keys = ours_.keys,
        .token = token,
        .lease_time = ours_.lease_time(),
        .host = host_name(),
        .pid = std::to_string(::getpid()),
        .name = ours_.name,
        .source = ours_.what.in,
        .process = base::process_identity()};
    auto opened = co_await store::open_lease(ours_.link(), std::move(given));
    if (!opened) {
        co_return opened.error();
    }
    auto lease = std::make_shared<lease_proof>(ours_.keys.lease(opened->id), std::move(token));
    ours_.decides.opened(opened->id, std::move(lease), ours_.link().connects(), clock::now());
    ours_.log->info(
        "taking in={} hand={} concurrency={}", ours_.what.in, ours_.keys.hand(opened->id), ours_.what.concurrency);
    co_return came_of::done;
}

called lease_calls::look() {
    auto epoch = ours_.link().connects();
    taker::in_flight seen;
    for (;;) {
        store::read_hand_call given{
            .keys = ours_.keys,
            .id = ours_.decides.id(),
            .token = ours_.token(),
            .first = static_cast<std::int64_t>(seen.messages.size()),
            .max_count = 1000,
            .max_bytes = static_cast<std::int64_t>(ours_.decides.call_bytes()),
            .shy = store::large_message};
        auto read = co_await store::read_hand(ours_.link(), std::move(given));
        if (!read) {
            ours_.decides.look_failed(read.error().outcome_unknown, clock::now());
            co_return read.error();
        }
        if (read->state == store::leased_call::lease_lost) {
            co_return came_of::lease_lost;
        }
        seen.fence = read->call;
        seen.last = read->last;
        for (auto& each : read->messages) {
            seen.messages.push_back({std::move(each.message), each.failures, std::move(each.name)});
        }
        if (read->messages.empty() || static_cast<std::int64_t>(seen.messages.size()) >= read->length) {
            break;
        }
    }
    std::ranges::reverse(seen.messages);
    auto looked = ours_.decides.looked(std::move(seen), epoch, clock::now());
    if (looked.given_up) {
        ours_.log->error(
            "a result is given up: Redis closes the connection when it is pushed in={} bytes={}", ours_.what.in,
            *looked.given_up);
    }
    co_return came_of::done;
}

boost::asio::awaitable<void> lease_calls::leave() {
    base::reached("before_release");
    for (bool more = ours_.decides.id() != 0; more;) {
        store::release_call given{
            .keys = ours_.keys,
            .source = ours_.what.in,
            .id = ours_.decides.id(),
            .token = ours_.token(),
            .max_count = 1000};
        auto left = co_await store::release(ours_.link(), std::move(given));
        more = left && left->left > 0 && left->given > 0;
    }
}

} // namespace leat::taking
