#pragma once

#include "base/log.hpp"
#include "base/task_group.hpp"
#include "config/value.hpp"
#include "runtime/connections.hpp"
#include "runtime/file_watch.hpp"
#include "runtime/kind.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace leat::runtime {

// Runs services as coroutines of one thread until the last has ended. SIGTERM or SIGINT asks all of them to stop; a
// second one ends the process at once. The worst exit code of the services is the process's.
class supervisor {
public:
    supervisor(std::string process, std::string version);

    // A service whose registration expired in an outage is started anew, instead of ending as failed.
    void start_anew_after_expiry() { anew_ = true; }
    // Also while others run: it begins at once.
    void add(const kind& of, const std::string& name, const config::value& settings);
    // Asks a service to stop; the others go on.
    void end(const std::string& name);
    // Asked every second; false ends everything as failed (an embedded server that died).
    void depend_on(std::function<bool()> alive) { alive_ = std::move(alive); }
    // How to read the settings again, on SIGHUP and when one of the files changes. Nothing comes back when they are
    // bad: that has been told, and the services go on as they are. Else a service that is declared no more is ended, a
    // new one begins, and one with other settings takes them, or ends and begins again.
    struct reread_service {
        const kind* of;
        std::string name;
        config::value settings;
    };
    using reread = std::function<std::optional<std::vector<reread_service>>()>;
    void reload_by(reread read, const std::vector<std::string>& watched);
    exit_code run();

private:
    // A service and what it is made of, to make it again.
    struct slot {
        const kind* of;
        std::string name;
        config::value settings;
        std::unique_ptr<runtime::metrics> metrics = {};
        std::unique_ptr<service> running = {};
        std::unique_ptr<registration> registered = {};
        std::optional<reread_service> next = {}; // what it becomes when it has ended
        bool entered = false;                    // it is registered, and stays so until it has ended
        bool ending = false;                     // it was asked to
        bool over = false;
    };

    static std::string client_name(const slot& one);
    void make(slot& one);
    std::unique_ptr<metrics> make_metrics(const slot& one, const registration_form& form, const base::log_ptr& log);
    slot* find(const std::string& name) const;
    static std::chrono::seconds patience_with(const slot& one);
    static void stop(slot& one);
    boost::asio::awaitable<void> run_one(slot& one);
    boost::asio::awaitable<outcome> run_made(slot& one);
    boost::asio::awaitable<outcome> run_registered(slot& one);
    boost::asio::awaitable<void> end_patiently(std::string name, std::chrono::seconds patience);
    void take(slot& one, reread_service fresh);
    boost::asio::awaitable<void> run_all();
    boost::asio::awaitable<void> watch_dependency();
    void await_signal();
    void await_hangup();
    void reload();
    void stop_all();
    void worsen(exit_code seen);

    boost::asio::io_context loop_{1};
    base::log_ptr log_;
    base::log_ptr entry_log_;
    connections connections_;
    base::task_group tasks_;
    base::notice ended_;
    boost::asio::signal_set signals_;
    boost::asio::signal_set hangups_;
    reread reread_;
    std::unique_ptr<file_watch> files_;
    boost::asio::steady_timer patience_;
    std::vector<std::unique_ptr<slot>> services_;
    std::string version_;
    bool anew_ = false;
    std::function<bool()> alive_;
    bool running_ = false;
    bool signalled_ = false;
    bool done_ = false;
    exit_code worst_ = exit_code::asked;
};

} // namespace leat::runtime
