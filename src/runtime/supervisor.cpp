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
    services_.push_back(std::make_unique<slot>(slot{.of = &of, .name = name, .settings = settings}));
    make(*services_.back());
    if (running_) {
        tasks_.spawn("service", run_one(*services_.back()));
    }
}

void supervisor::end(const std::string& name) {
    auto* one = find(name);
    if (one == nullptr || one->over || one->ending) {
        return;
    }
    one->ending = true;
    tasks_.spawn("end a service", end_patiently(name, patience_with(*one)));
    stop(*one);
}

// A server that does not answer must not keep it: what is under way then has an unknown outcome, as in a crash.
boost::asio::awaitable<void> supervisor::end_patiently(std::string name, std::chrono::seconds patience) {
    auto latest = std::chrono::steady_clock::now() + patience;
    const auto* one = find(name);
    while (one != nullptr && one->ending && !one->over && std::chrono::steady_clock::now() < latest) {
        co_await ended_.wait_for(latest - std::chrono::steady_clock::now());
        one = find(name);
    }
    if (one != nullptr && one->ending && !one->over) {
        connections_.end_links_of(client_name(*one));
    }
}

supervisor::slot* supervisor::find(const std::string& name) const {
    auto found = std::ranges::find_if(services_, [&name](const auto& each) { return each->name == name; });
    return found == services_.end() ? nullptr : found->get();
}

std::chrono::seconds supervisor::patience_with(const slot& one) {
    return std::max(one.registered->patience(), one.running->patience());
}

void supervisor::stop(slot& one) {
    one.registered->ending();
    if (!one.entered) {
        one.registered->stop();
    }
    one.running->stop();
}

std::string supervisor::client_name(const slot& one) {
    return "leat:" + one.of->spec->name() + ":" + one.name;
}

void supervisor::make(slot& one) {
    const auto& kind_name = one.of->spec->name();
    auto log = base::create_log(one.name == kind_name ? kind_name : kind_name + "/" + one.name);
    auto form = one.of->registers(one.settings);
    one.registered.reset();
    one.running.reset();
    one.entered = false;
    one.metrics = make_metrics(one, form, log);
    context given{
        .executor = loop_.get_executor(),
        .kind = kind_name,
        .name = one.name,
        .version = version_,
        .client_name = client_name(one),
        .log = log,
        .redis = connections_,
        .metrics = *one.metrics,
        .shown = one.of->spec->normalised(one.settings)};
    one.running = one.of->make(given, one.settings);
    auto& running = *one.running;
    registration_handlers told{
        .registered = [&running](std::int64_t id) { running.registered(id); },
        .alone = [&running](bool is) { running.alone(is); },
        .lost = [&running] { running.stop(); }};
    one.registered = create_registration(given, std::move(form), std::move(told));
}

std::unique_ptr<metrics> supervisor::make_metrics(
    const slot& one, const registration_form& form, const base::log_ptr& log) {
    const auto& settings = form.settings;
    if (!settings.service_namespace) {
        return std::make_unique<metrics>(loop_.get_executor());
    }
    return std::make_unique<metrics>(
        loop_.get_executor(), *settings.service_namespace, one.name, [&](base::stop_signal& stop) {
            return connections_.called_server_of(
                server_of(form), client_name(one), log, stop, "what is counted cannot be written");
        });
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
    std::erase_if(services_, [&fresh](const auto& each) {
        bool declared = std::ranges::find(*fresh, each->name, &reread_service::name) != fresh->end();
        return each->over && (each->ending || !declared);
    });
    for (auto& each : services_) {
        if (std::ranges::find(*fresh, each->name, &reread_service::name) == fresh->end()) {
            each->next.reset();
            log_->info("a service is not declared any more, it is ended name={}", each->name);
            end(each->name);
        }
    }
    for (auto& each : *fresh) {
        if (auto* one = find(each.name)) {
            take(*one, std::move(each));
        } else {
            log_->info("a service is declared, it begins name={}", each.name);
            add(*each.of, each.name, each.settings);
        }
    }
}

// One that has ended begins again only when something has changed.
void supervisor::take(slot& one, reread_service fresh) {
    bool same = fresh.of == one.of && config::same_content(fresh.settings, one.settings);
    if (one.ending) {
        one.next = std::move(fresh); // it was taken out, and is back
    } else if (same) {
        return;
    } else if (one.over) {
        log_->info("a service has other settings, it begins again name={}", one.name);
        std::erase_if(services_, [&one](const auto& each) { return each.get() == &one; });
        add(*fresh.of, fresh.name, fresh.settings);
    } else if (fresh.of == one.of && one.of->reload(*one.running, fresh.settings)) {
        one.settings = std::move(fresh.settings);
        log_->info("reloaded name={}", one.name);
    } else {
        log_->info("a service has other settings, it ends and begins again name={}", one.name);
        one.next = std::move(fresh);
        end(one.name);
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
    running_ = true;
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
        auto ended = co_await run_made(one);
        connections_.end_links_of(client_name(one));
        bool next = one.next && !signalled_;
        if (next) {
            one.of = one.next->of;
            one.settings = std::move(one.next->settings);
        } else if (!ended.start_anew || !anew_ || signalled_ || one.ending) {
            one.over = true;
            worsen(ended.code);
            break;
        }
        one.next.reset();
        one.ending = false;
        ended_.notify_all();
        log_->info("starting a service again name={}", one.name);
        make(one);
    }
    ended_.notify_all();
    auto others = std::ranges::count_if(services_, [](const auto& each) { return !each->over; });
    if (worst_ != exit_code::asked && others > 0 && !signalled_) {
        log_->error("a service has failed, the others go on name={} running={}", one.name, others);
    }
}

boost::asio::awaitable<outcome> supervisor::run_made(slot& one) {
    base::task_group beside{loop_.get_executor(), log_};
    beside.spawn("metrics", one.metrics->run());
    auto ended = co_await run_registered(one);
    one.metrics->stop();
    co_await beside.wait();
    co_return ended;
}

// The service takes nothing before it is registered, and is registered until it has ended.
boost::asio::awaitable<outcome> supervisor::run_registered(slot& one) {
    outcome ended;
    one.entered = co_await one.registered->enter();
    if (one.entered) {
        base::task_group beside{loop_.get_executor(), log_};
        beside.spawn("heartbeat", one.registered->keep());
        ended = co_await one.running->run();
        one.registered->stop();
        co_await beside.wait();
    }
    co_return co_await one.registered->leave(ended);
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
        patience = std::max(patience, patience_with(*each));
        stop(*each);
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
