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
    : stop_{executor}
    , server_{server_of(stop_)} {
    store::message_keys keys{name_space};
    call_.index = keys.metrics_index();
    call_.writer = keys.metrics_writer(base::random_name());
    call_.prefix = keys.metrics();
    call_.service = std::move(service);
}

metrics::series& metrics::of(std::string_view name, std::string_view queue, scope where) {
    return all_[{std::string{name}, std::string{queue}, where}];
}

void metrics::show(const redis::link& where, std::string name, std::string queue, std::string hash) {
    if (server_ && &where == &server_->calls()) {
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
    if (!call_.rows.empty()) { // a fault has held it back; if it is over, so is what was counted meanwhile
        co_await write();
        co_await write();
    }
    if (server_ && call_.call > 0 && call_.rows.empty()) {
        redis::command forget{"UNLINK", call_.writer};
        co_await server_->calls().call(std::move(forget));
    }
}

void metrics::gather() {
    for (auto& [of, held] : all_) {
        if (!held.empty()) {
            auto row = std::exchange(held, {}).as_row();
            row.name = of.name;
            row.queue = of.queue;
            row.scope = of.where == scope::both ? "both" : of.where == scope::total ? "total" : "service";
            call_.rows.push_back(std::move(row));
        }
    }
    if (!hashes_are_known_ || !call_.rows.empty()) { // again and again: the index may have been lost
        call_.rows.insert(call_.rows.end(), hashes_.begin(), hashes_.end());
    }
    call_.call += call_.rows.empty() ? 0 : 1;
}

// What was gathered before, if a fault has held it back, and nothing else: its number stands for it.
boost::asio::awaitable<void> metrics::write() {
    if (!server_) {
        co_return;
    }
    if (call_.rows.empty()) {
        gather();
    }
    if (call_.rows.empty()) {
        co_return;
    }
    std::function<boost::asio::awaitable<redis::result<store::add_metrics_outcome>>()> call = [this] {
        return store::add_metrics(server_->calls(), call_);
    };
    std::function<bool()> wanted = [] { return true; };
    auto answer = co_await server_->call_until_answered(std::move(call), std::move(wanted));
    if (answer) {
        call_.rows.clear();
        hashes_are_known_ = true;
    }
}

} // namespace leat::runtime
