#include "runtime/metrics.hpp"

#include "base/random_name.hpp"
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

store::added_metric metrics::series::as_row() const {
    store::added_metric row{.longest = longest_, .last = last_, .fields = {"count", std::to_string(count_)}};
    auto add = [&row](std::string field, std::int64_t number) {
        if (number > 0) {
            row.fields.push_back(std::move(field));
            row.fields.push_back(std::to_string(number));
        }
    };
    add("sum", sum_);
    for (std::size_t i = 0; i < bounds_.size(); ++i) {
        add(store::bound_field(i), bounds_[i]);
    }
    for (std::size_t i = 0; i < tenths_.size(); ++i) {
        add("histo" + std::to_string(10 * i), tenths_[i]);
    }
    return row;
}

metrics::metrics(const boost::asio::any_io_executor& executor)
    : stop_{executor} {
}

metrics::metrics(
    const boost::asio::any_io_executor& executor, const std::string& name_space, std::string service,
    const std::function<redis::server(base::stop_signal& stop)>& server_of)
    : stop_{executor} {
    store::add_metrics_call call{
        .keys = store::message_keys{name_space}, .writer = base::random_name(), .service = std::move(service)};
    target_.emplace(server_of(stop_), std::move(call));
}

metrics::series& metrics::of(std::string_view name, std::string_view queue, scope where) {
    return all_[{std::string{name}, std::string{queue}, where}];
}

void metrics::show(const redis::link& where, std::string name, std::string queue, std::string hash) {
    if (target_ && &where == &target_->server.calls()) {
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
    while (!stop_.requested()) {
        auto next = clock::now() + 1s;
        while (!stop_.requested() && clock::now() < next) {
            co_await stop_.awake().wait_for(next - clock::now());
        }
        co_await write();
    }
    if (!target_) {
        co_return;
    }
    const auto& call = target_->call;
    if (!call.rows.empty()) { // a fault has held it back; if it is over, so is what was counted meanwhile
        co_await write();
        co_await write();
    }
    if (call.call > 0 && call.rows.empty()) {
        co_await store::forget_writer(target_->server.calls(), call.keys, call.writer);
    }
}

void metrics::gather(store::add_metrics_call& call) {
    for (auto& [of, held] : all_) {
        if (!held.empty()) {
            auto row = std::exchange(held, {}).as_row();
            row.name = of.name;
            row.queue = of.queue;
            row.scope = of.where == scope::both ? "both" : of.where == scope::total ? "total" : "service";
            call.rows.push_back(std::move(row));
        }
    }
    if (!hashes_are_known_ || !call.rows.empty()) { // again and again: the index may have been lost
        call.rows.insert(call.rows.end(), hashes_.begin(), hashes_.end());
    }
    call.call += call.rows.empty() ? 0 : 1;
}

// What was gathered before, if a fault has held it back, and nothing else: its number stands for it.
boost::asio::awaitable<void> metrics::write() {
    if (!target_) {
        co_return;
    }
    auto& given = target_->call;
    if (given.rows.empty()) {
        gather(given);
    }
    if (given.rows.empty()) {
        co_return;
    }
    std::function<boost::asio::awaitable<redis::result<store::add_metrics_outcome>>()> call = [this] {
        return store::add_metrics(target_->server.calls(), target_->call);
    };
    std::function<bool()> wanted = [] { return true; };
    auto answer = co_await target_->server.call_until_answered(std::move(call), std::move(wanted));
    if (answer) {
        given.rows.clear();
        hashes_are_known_ = true;
    }
}

} // namespace leat::runtime
