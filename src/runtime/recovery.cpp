#include "runtime/recovery.hpp"

namespace leat::runtime {

recovery::recovery(redis::link& server, redis::link& listener, base::log_ptr log, base::stop_signal& stop)
    : server_{server}
    , listener_{listener}
    , log_{std::move(log)}
    , stop_{stop}
    , pause_{std::chrono::milliseconds{50}, std::chrono::milliseconds{1000}} {
}

boost::asio::awaitable<bool> recovery::after(redis::failure failed) {
    using redis::error_class;
    ++failures_;
    if (server_.refused()) {
        failed = *server_.refused();
    }
    if (failed.kind == error_class::stop) {
        log_->error("Redis refuses, stopping server={} reason=\"{}\"", server_.server().shown, failed.text);
        co_return false;
    }
    if (failed.kind == error_class::find_server && listener_.connected()) {
        listener_.reconnect(); // both must end at the same server, wherever its name leads now
    }
    bool connection_lost = failed.kind == error_class::find_server && !server_.connected();
    if (!connection_lost) { // the link tells of losses
        tell(failed);
        if (failed.kind == error_class::find_server) {
            server_.reconnect(); // READONLY and its like: another server may have the name by now
        }
        if (!stop_.requested()) {
            co_await stop_.awake().wait_for(pause_.next());
        }
    }
    co_await await_connection();
    co_return true;
}

void recovery::tell(const redis::failure& failed) {
    if (told_ == failed.text) {
        return;
    }
    told_ = failed.text;
    if (failed.kind == redis::error_class::await_repair) {
        log_->error("waiting for repair, nothing is lost reason=\"{}\"", failed.text);
    } else {
        log_->warn("waiting class={} reason=\"{}\"", redis::to_string(failed.kind), failed.text);
    }
}

boost::asio::awaitable<void> recovery::await_connection() {
    while (!stop_.requested() && !server_.connected() && !server_.refused()) {
        co_await server_.changed().wait_for(std::chrono::seconds{1});
    }
}

void recovery::over() {
    pause_.reset();
    align();
    if (told_) {
        told_.reset();
        log_->info("going on");
    }
}

// When one of the two was lost and made again, the name may lead elsewhere by now, and both must end at the same
// server: the other is made again, too.
void recovery::align() {
    if (!listener_.connected()) {
        return;
    }
    bool server_new = server_.connects() != aligned_server_;
    bool listener_new = listener_.connects() != aligned_listener_;
    if (server_new && listener_new) {
        aligned_server_ = server_.connects();
        aligned_listener_ = listener_.connects();
    } else if (server_new) {
        listener_.reconnect();
    } else if (listener_new) {
        server_.reconnect();
    }
}

} // namespace leat::runtime
