#include "runtime/supervisor.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>

namespace leat::runtime {

supervisor::supervisor(std::string process, std::string version)
    : log_{base::create_log("leat")}
    , entry_log_{base::create_log("entry")}
    , connections_{loop_.get_executor(), log_, std::move(process)}
    , tasks_{loop_.get_executor(), log_}
    , ended_{loop_.get_executor()}
    , signals_{loop_, SIGINT, SIGTERM}
    , hangups_{loop_}
    , patience_{loop_}
    , version_{std::move(version)} {
}

void supervisor::add(const kind& of, const std::string& name, const config::value& settings) {
    services_.push_back(std::make_unique<slot>(slot{&of, name, settings, nullptr}));
    make(*services_.back());
}

std::string supervisor::client_name(const slot& one) {
    return "leat:" + one.of->spec->name() + ":" + one.name;
}

void supervisor::make(slot& one) {
    const auto& kind_name = one.of->spec->name();
    context given{
        .executor = loop_.get_executor(),
        .kind = kind_name,
        .name = one.name,
        .version = version_,
        .client_name = client_name(one),
        .log = base::create_log(one.name == kind_name ? kind_name : kind_name + "/" + one.name),
        .redis = connections_};
    one.running = one.of->make(given, one.settings);
}

void supervisor::reload_by(reread read, const std::vector<std::string>& watched) {
    reread_ = std::move(read);
    hangups_.add(SIGHUP);
    await_hangup();
    if (!watched.empty()) {
        files_ = std::make_unique<file_watch>(loop_.get_executor(), watched, log_, [this] { reload(); });
    }
}

void supervisor::await_hangup() {
    hangups_.async_wait([this](boost::system::error_code cancelled, int) {
        if (!cancelled && !done_) {
            reload();
            await_hangup();
        }
    });
}

void supervisor::reload() {
    if (signalled_) {
        return;
    }
    auto fresh = reread_();
    if (!fresh) {
        log_->error("the new configuration is refused, the old one goes on");
        return;
    }
    for (auto& each : services_) {
        auto found = std::ranges::find(*fresh, each->name, &reread_service::name);
        if (found == fresh->end()) {
            log_->warn("a service is not declared any more, and runs until it is stopped name={}", each->name);
        } else if (config::same_content(found->settings, each->settings)) {
            continue;
        } else if (each->running->reload(found->settings)) {
            each->settings = std::move(found->settings);
            log_->info("reloaded name={}", each->name);
        } else {
            log_->warn("the settings of a service have changed, start it anew to take them name={}", each->name);
        }
    }
    for (const auto& each : *fresh) {
        if (std::ranges::none_of(services_, [&each](const auto& one) { return one->name == each.name; })) {
            log_->warn("a service is declared that does not run, start anew to run it name={}", each.name);
        }
    }
}

exit_code supervisor::run() {
    await_signal();
    base::task_group whole{loop_.get_executor(), log_};
    whole.spawn("supervisor", run_all());
    if (alive_) {
        whole.spawn("dependency", watch_dependency());
    }
    loop_.run();
    return worst_;
}

boost::asio::awaitable<void> supervisor::run_all() {
    for (auto& each : services_) {
        tasks_.spawn("service", run_one(*each));
    }
    co_await tasks_.wait();
    co_await connections_.close();
    signals_.cancel();
    hangups_.cancel();
    if (files_) {
        files_->stop();
    }
    patience_.cancel();
    done_ = true;
    ended_.notify_all();
}

boost::asio::awaitable<void> supervisor::run_one(slot& one) {
    for (;;) {
        auto ended = co_await one.running->run();
        connections_.end_links_of(client_name(one));
        if (!ended.start_anew || !anew_ || signalled_) {
            worsen(ended.code);
            break;
        }
        log_->warn("starting a service anew name={}", one.name);
        make(one);
    }
    if (worst_ != exit_code::asked && tasks_.running() > 1 && !signalled_) {
        log_->error("a service has failed, the others go on name={} running={}", one.name, tasks_.running() - 1);
    }
}

boost::asio::awaitable<void> supervisor::watch_dependency() {
    while (!done_) {
        if (!signalled_ && !alive_()) { // a signal to the whole group ends the server, too
            log_->error("the embedded server has ended, stopping");
            worsen(exit_code::failed);
            stop_all();
            co_return;
        }
        co_await ended_.wait_for(std::chrono::seconds{1});
    }
}

void supervisor::await_signal() {
    signals_.async_wait([this](boost::system::error_code cancelled, int number) {
        if (cancelled || done_) { // one that came while the last service ended is not cancelled any more
            return;
        }
        entry_log_->info(number == SIGTERM ? "SIGTERM" : "SIGINT");
        if (signalled_) {
            std::_Exit(static_cast<int>(exit_code::failed)); // asked twice: at once
        }
        signalled_ = true;
        stop_all();
        await_signal();
    });
}

void supervisor::stop_all() {
    auto patience = std::chrono::seconds{1};
    for (auto& each : services_) {
        patience = std::max(patience, each->running->patience());
        each->running->stop();
    }
    // A server that does not answer must not keep us: what is under way then has an unknown outcome, as in a crash.
    patience_.expires_after(patience);
    patience_.async_wait([this](boost::system::error_code cancelled) {
        if (!cancelled) {
            connections_.drop();
        }
    });
}

void supervisor::worsen(exit_code seen) {
    worst_ = std::max(worst_, seen);
}

} // namespace leat::runtime
