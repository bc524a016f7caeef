#include "driver.hpp"

#include <unistd.h>

namespace leat::bench {

using boost::asio::awaitable;

namespace {

awaitable<void> measure(driver& drives, words given) {
    co_await drives.give(std::chrono::milliseconds{given.warm});
    auto before = drives.seen().total_arrived();
    drives.clear();
    await_go();
    auto seconds = co_await drives.give(std::chrono::milliseconds{given.time});
    auto& seen = drives.seen();
    auto made = "\"messages\": " + std::to_string(seen.total_arrived() - before) +
                ", \"seconds\": " + std::to_string(seconds) + ", \"ok\": " + (seen.ok() ? "true" : "false") + ", " +
                percentiles(seen.times());
    if (!drives.after_acks().empty()) {
        made += ", \"after_acks\": {" + percentiles(drives.after_acks()) + "}";
    }
    tell(made);
    ::pause(); // the harness still looks at our memory
}

} // namespace

void measure_library(const words& given) {
    driver drives{given};
    drives.run([&] { return measure(drives, given); });
}

} // namespace leat::bench
