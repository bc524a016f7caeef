#include "runtime/registration.hpp"

#include "base/stop_signal.hpp"
#include "config/write.hpp"
#include "runtime/registration_state.hpp"
#include "store/keys.hpp"
#include "store/service.hpp"

#include <unistd.h>

#include <array>

namespace leat::runtime {
namespace {

using boost::asio::awaitable;
using std::chrono::steady_clock;

std::string host_name() {
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

class unregistered final : public registration {
public:
    awaitable<bool> enter() override { co_return true; }
    awaitable<void> keep() override { co_return; }
    awaitable<outcome> leave(outcome ended) override { co_return ended; }
    void ending() override {}
    void stop() override {}
    std::chrono::seconds patience() const override { return std::chrono::seconds{1}; }
};

class service_registration final : public registration {
public:
    service_registration(
        const context& given, registration_form form, const redis::url& server, registration_handlers told)
        : context_{given}
        , settings_{std::move(form.settings)}
        , keys_{*settings_.service_namespace}
        , queues_{std::move(form.queues)}
        , told_{std::move(told)}
        , log_{base::create_log("Service")}
        , stop_{given.executor}
        , server_{given.redis.server_of(server, given.client_name, given.log, stop_)} {}

    awaitable<bool> enter() override {
        co_await server_.await_connection();
        entered_ = co_await announce();
        if (entered_) {
            base::create_log("renew")->info("started {} {}", key(), settings_.service_renew);
        }
        co_return entered_;
    }

    awaitable<void> keep() override {
        while (!stop_.requested()) {
            auto seen = watch_->changes();
            auto there = co_await watch_->exists();
            auto due = last_answer_ + std::chrono::seconds{settings_.service_renew};
            bool gone = there && *there == 0;
            bool look = gone || steady_clock::now() >= due;
            if (!look && watch_->changes() == seen && !stop_.requested()) {
                auto longest = there ? due - steady_clock::now() : steady_clock::duration{std::chrono::seconds{1}};
                co_await stop_.awake().wait_for(longest);
                continue;
            }
            if (look && !stop_.requested() && !co_await beat()) {
                told_.lost();
                co_return;
            }
            if (gone && there_after_all_) {
                co_await server_.meet();
            }
        }
    }

    awaitable<outcome> leave(outcome ended) override {
        if (!entered_) {
            ended.code = stop_.requested() ? exit_code::asked : exit_code::failed;
            co_return ended;
        }
        if (state_ == registration_state::held || state_ == registration_state::remote_shutdown) {
            co_await remove(ended);
        }
        if (asked_) { // what becomes of the key while a service drains is no failure
            co_return ended;
        }
        if (state_ == registration_state::expired || state_ == registration_state::foreign) {
            ended.code = std::max(ended.code, exit_code::failed);
            ended.start_anew = state_ == registration_state::expired;
        }
        if (refused_) { // the end may have been allowed, the heartbeat was not
            ended.code = std::max(ended.code, exit_code::failed);
        }
        co_return ended;
    }

    void ending() override { asked_ = true; }

    void stop() override {
        stop_.request();
        server_.calls().changed().notify_all();
    }

    std::chrono::seconds patience() const override { return std::chrono::seconds{5}; }

private:
    static std::string name_of(const std::vector<std::string>& server) { return server.empty() ? "" : server.front(); }
    std::string key() const { return keys_.service(held_.id); }

    // Registers, again and again while that may help.
    awaitable<bool> announce() {
        while (!stop_.requested()) {
            store::register_service_call given{
                .keys = keys_,
                .host = host_,
                .pid = pid_,
                .expire = settings_.service_expire,
                .kind = context_.kind,
                .name = context_.name,
                .version = context_.version,
                .queues = queues_.shown(),
                .roles = queues_.json(),
                .server = queues_.server.shown == server_.calls().server().shown
                              ? ""
                              : queues_.server.shown}; // GCC 12 destroys temporaries inside co_await twice
            auto entered = co_await store::register_service(server_.calls(), std::move(given));
            if (entered) {
                server_.answered();
                if (entered->state == store::entry::key_in_use) {
                    context_.log->error(
                        "cannot register, stopping reason=\"the key of the new service is there already\" key={}",
                        keys_.service(entered->id));
                    co_return false;
                }
                remember(*entered);
                co_return true;
            }
            if (!co_await server_.after(entered.error())) {
                co_return false;
            }
        }
        co_return false;
    }

    void remember(const store::register_service_outcome& entered) {
        held_ = {
            .id = entered.id,
            .last_beat = entered.started,
            .expire = settings_.service_expire,
            .server = name_of(entered.here)};
        started_ = std::to_string(entered.started);
        renewed_.clear();
        state_ = registration_state::held;
        last_answer_ = steady_clock::now();
        auto shown = config::value::of_map();
        shown.set("host", config::value::of_text(host_));
        shown.set("pid", config::value::of_whole(::getpid()));
        shown.set("started", config::value::of_whole(entered.started));
        log_->info("registered {} {}", key(), config::inspect_line(shown));
        if (entered.listed > settings_.service_capacity) {
            context_.log->warn(
                "more services are listed than serviceCapacity key={} listed={} serviceCapacity={}", keys_.ids(),
                entered.listed, settings_.service_capacity);
        }
        watch_.emplace(server_.ears(), key(), stop_.awake());
        told_.registered(entered.id);
        told_.alone(!entered.others);
    }

    // False: the registration is lost, the reason has been told.
    awaitable<bool> beat() {
        store::renew_service_call given{
            .keys = keys_,
            .host = host_,
            .pid = pid_,
            .id = held_.id,
            .started = started_,
            .expire = settings_.service_expire,
            .renewed = renewed_,
            .server = held_.server}; // GCC 12 destroys temporaries inside co_await twice
        there_after_all_ = false;
        auto answer = co_await store::renew_service(server_.calls(), std::move(given));
        if (!answer) {
            if (answer.error().outcome_unknown) {
                renewed_ = "*"; // it may have been written
            }
            refused_ = !co_await server_.after(answer.error());
            co_return !refused_;
        }
        server_.answered();
        state_ = state_of(*answer, held_);
        switch (state_) {
        case registration_state::held:
            renewed_ = std::to_string(answer->now);
            held_.last_beat = answer->now;
            held_.server = name_of(answer->server);
            last_answer_ = steady_clock::now();
            there_after_all_ = true;
            told_.alone(!answer->others);
            co_return true;
        case registration_state::data_lost: {
            context_.log->warn("the server has lost its data, registering again key={}", key());
            bool entered = co_await announce();
            refused_ = !entered && !stop_.requested();
            co_return entered;
        }
        case registration_state::remote_shutdown:
            context_.log->info("remote shutdown, stopping key={}", key());
            co_return false;
        case registration_state::expired:
            context_.log->error("the registration expired while Redis was away, stopping key={}", key());
            co_return false;
        case registration_state::foreign:
            context_.log->error("another service writes our key, stopping key={}", key());
            co_return false;
        }
        co_return false;
    }

    // The connection may be in the middle of a change; a clean end is worth some patience.
    awaitable<void> remove(outcome& ended) {
        auto latest = steady_clock::now() + std::chrono::seconds{4};
        base::stop_signal none{context_.executor}; // ours has been given
        auto server = context_.redis.called_server_of(
            server_.where(), context_.client_name, context_.log, none, "the registration cannot be ended");
        for (;;) {
            store::end_service_call given{
                .keys = keys_,
                .host = host_,
                .pid = pid_,
                .id = held_.id,
                .started = started_}; // GCC 12 destroys temporaries inside co_await twice
            auto left = co_await store::end_service(server.calls(), std::move(given));
            if (left) {
                server.answered();
                auto shown = config::value::of_map();
                shown.set("del", config::value::of_whole(left->del));
                shown.set("lrem", config::value::of_whole(left->lrem));
                log_->info("ended {} {}", key(), config::inspect_line(shown));
                co_return;
            }
            bool again = !server.calls().ended();
            if (again) {
                again = co_await server.after(left.error(), latest);
            }
            if (!again || server.calls().ended() || steady_clock::now() >= latest) {
                context_.log->error(
                    "cannot end cleanly, the key is left and expires by itself key={} within={} reason=\"{}\"", key(),
                    settings_.service_expire, left.error().text);
                ended.code = std::max(ended.code, exit_code::failed);
                co_return;
            }
        }
    }

    context context_;
    service_settings settings_;
    store::service_keys keys_;
    service_queues queues_;
    registration_handlers told_;
    base::log_ptr log_;
    base::stop_signal stop_;
    redis::server server_;
    std::string host_ = host_name();
    std::string pid_ = std::to_string(::getpid());
    held_registration held_;
    std::string started_;
    std::string renewed_; // what we wrote last; empty before the first beat, * when we cannot know
    steady_clock::time_point last_answer_;
    bool entered_ = false;
    bool asked_ = false;           // the service was asked to stop
    bool there_after_all_ = false; // the last beat found the key
    std::optional<redis::listener::watch> watch_;
    registration_state state_ = registration_state::held;
    bool refused_ = false;
};

} // namespace

std::string service_queues::shown() const {
    std::string from;
    std::string to;
    for (const auto& [role, keys] : roles) {
        for (const auto& key : keys) {
            if (role == "in") {
                from += (from.empty() ? "" : ", ") + key;
            } else if (role == "out" || role == "reply") {
                to += (to.empty() ? "" : ", ") + key;
            }
        }
    }
    return to.empty() ? from : from + " -> " + to;
}

std::string service_queues::json() const {
    auto map = config::value::of_map();
    for (const auto& [role, keys] : roles) {
        map.set(role, config::value::of_texts(keys));
    }
    return config::to_json(map, 0);
}

redis::url server_of(const registration_form& form) {
    const auto& elsewhere = form.settings.service_redis;
    return elsewhere ? redis::parse_url(*elsewhere).value() : form.queues.server;
}

std::unique_ptr<registration> create_registration(
    const context& given, registration_form form, registration_handlers told) {
    if (!form.settings.service_namespace) {
        return std::make_unique<unregistered>();
    }
    auto server = server_of(form);
    return std::make_unique<service_registration>(given, std::move(form), server, std::move(told));
}

} // namespace leat::runtime
