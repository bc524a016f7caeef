#include "runtime/metrics.hpp"

#include "store/keys.hpp"
#include "store/metrics.hpp"

#include <algorithm>

namespace leat::runtime {

using namespace std::chrono_literals;

void metrics::series::took(clock::duration time) {
    auto taken = std::max<std::int64_t>(0, std::chrono::duration_cast<std::chrono::milliseconds>(time).count());
    ++count_;
    sum_ += taken;
    longest_ = std::max(longest_, taken);
    auto bound = std::ranges::lower_bound(store::metric_bounds, taken);
    ++bounds_[static_cast<std::size_t>(bound - store::metric_bounds.begin())];
}

void metrics::series::took(clock::duration time, std::chrono::milliseconds allowed) {
    took(time);
    auto taken = std::chrono::duration_cast<std::chrono::milliseconds>(time);
    auto tenth = allowed.count() > 0 ? std::clamp<std::int64_t>(10 * taken / allowed, 0, 10) : 10;
    ++tenths_[static_cast<std::size_t>(tenth)];
}

void metrics::series::give_back(const series& held) {
    count_ += held.count_;
    sum_ += held.sum_;
    longest_ = std::max(longest_, held.longest_);
    std::ranges::transform(bounds_, held.bounds_, bounds_.begin(), std::plus{});
    std::ranges::transform(tenths_, held.tenths_, tenths_.begin(), std::plus{});
    last_ = last_.empty() ? held.last_ : last_;
}

metrics::metrics(const boost::asio::any_io_executor& executor, base::log_ptr log)
    : log_{std::move(log)}
    , stopped_{executor} {
}

metrics::metrics(
    const boost::asio::any_io_executor& executor, base::log_ptr log, redis::link& server, const std::string& name_space,
    std::string service)
    : log_{std::move(log)}
    , server_{&server}
    , name_space_{name_space}
    , service_{std::move(service)}
    , stopped_{executor} {
}

metrics::series& metrics::of(std::string_view name, std::string_view queue, scope where) {
    return all_[{std::string{name}, std::string{queue}, where}];
}

void metrics::show(const redis::link& where, std::string name, std::string queue, std::string hash) {
    if (&where == server_) {
        hashes_.push_back(
            {.name = std::move(name),
             .queue = std::move(queue),
             .scope = "hash",
             .longest = -1,
             .last = std::move(hash),
             .fields = {}});
    }
}

boost::asio::awaitable<void> metrics::run() {
    while (!stopping_) {
        auto next = clock::now() + 1s;
        while (!stopping_ && clock::now() < next) {
            co_await stopped_.wait_for(next - clock::now());
        }
        co_await write();
    }
}

void metrics::stop() {
    stopping_ = true;
    stopped_.notify_all();
}

boost::asio::awaitable<void> metrics::write() {
    store::message_keys keys{name_space_};
    store::add_metrics_call call{.index = keys.metrics_index(), .prefix = keys.metrics(), .service = service_};
    std::map<key, series> written;
    for (auto& [of, held] : all_) {
        if (held.empty()) {
            continue;
        }
        store::added_metric row{
            .name = of.name,
            .queue = of.queue,
            .scope = of.where == scope::both    ? "both"
                     : of.where == scope::total ? "total"
                                                : "service",
            .longest = held.longest_,
            .last = held.last_,
            .fields = {"count", std::to_string(held.count_)}};
        auto add = [&row](std::string field, std::int64_t number) {
            if (number > 0) {
                row.fields.push_back(std::move(field));
                row.fields.push_back(std::to_string(number));
            }
        };
        add("sum", held.sum_);
        for (std::size_t i = 0; i < held.bounds_.size(); ++i) {
            add(store::bound_field(i), held.bounds_[i]);
        }
        for (std::size_t i = 0; i < held.tenths_.size(); ++i) {
            add("histo" + std::to_string(10 * i), held.tenths_[i]);
        }
        call.rows.push_back(std::move(row));
        written.emplace(of, std::exchange(held, {}));
    }
    if (!hashes_are_known_ || !call.rows.empty()) { // again and again: the index may have been lost
        call.rows.insert(call.rows.end(), hashes_.begin(), hashes_.end());
    }
    if (server_ == nullptr || call.rows.empty()) {
        co_return;
    }
    auto answer = co_await store::add_metrics(*server_, std::move(call));
    hashes_are_known_ = hashes_are_known_ || answer;
    if (!answer && !answer.error().outcome_unknown) {
        for (const auto& [of, held] : written) {
            all_[of].give_back(held);
        }
    }
}

} // namespace leat::runtime
