#include "runtime/recovery.hpp"

namespace leat::runtime {

recovery::recovery(redis::link& server, base::log_ptr log, base::notice& awake)
    : server_{server}
    , log_{std::move(log)}
    , awake_{awake}
    , pause_{std::chrono::milliseconds{50}, std::chrono::milliseconds{1000}} {
}

boost::asio::awaitable<bool> recovery::after(redis::failure failed, const bool& stopping) {
    using redis::error_class;
    ++failures_;
    if (server_.refused()) {
        failed = *server_.refused();
    }
    if (failed.kind == error_class::stop) {
        log_->error("Redis refuses, stopping server={} reason=\"{}\"", server_.server().shown, failed.text);
        co_return false;
    }
    if (failed.kind == error_class::find_server) {
        if (server_.connected()) {
            log_->warn("not the right server, connecting anew reason=\"{}\"", failed.text);
            server_.reconnect(); // READONLY and its like; the link has told the rest
            co_await awake_.wait_for(pause_.next());
        }
        co_await await_connection(stopping);
        co_return true;
    }
    if (told_ != failed.text) {
        told_ = failed.text;
        if (failed.kind == error_class::await_repair) {
            log_->error("waiting for repair, nothing is lost reason=\"{}\"", failed.text);
        } else {
            log_->warn("waiting class={} reason=\"{}\"", redis::to_string(failed.kind), failed.text);
        }
    }
    if (!stopping) {
        co_await awake_.wait_for(pause_.next());
    }
    co_return true;
}

boost::asio::awaitable<void> recovery::await_connection(const bool& stopping) {
    while (!stopping && !server_.connected() && !server_.refused()) {
        co_await server_.changed().wait_for(std::chrono::seconds{1});
    }
}

void recovery::over() {
    pause_.reset();
    if (told_) {
        told_.reset();
        log_->info("going on");
    }
}

} // namespace leat::runtime
