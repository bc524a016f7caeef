#pragma once

#include "base/task_group.hpp"
#include "redis/link.hpp"
#include "runtime/embedded_server.hpp"
#include "runtime/exit_code.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include <chrono>
#include <memory>
#include <string>

namespace leat::cli {

struct demo_words {
    int seconds = 12;
    int rate = 5000;
    bool keep = false;
};

// A folder that is gone with the demo.
struct demo_folder {
    demo_folder();
    demo_folder(const demo_folder&) = delete;
    demo_folder& operator=(const demo_folder&) = delete;
    ~demo_folder();
    std::string path;
};

// What every demo stands on: a folder, a private server in it, a loop, a link and Ctrl-C. A demo derives from it and
// plays; whatever happens, it is asked to clean up before the loop ends.
class demo_stage {
public:
    demo_stage(const demo_stage&) = delete;
    demo_stage& operator=(const demo_stage&) = delete;
    virtual ~demo_stage() = default;

    runtime::exit_code run();

protected:
    using clock = std::chrono::steady_clock;

    explicit demo_stage(demo_words words);

    virtual boost::asio::awaitable<void> play() = 0;
    virtual void tell(const std::string& event) = 0;
    virtual void leave_screen() = 0; // the terminal as it was
    virtual void clean_up() = 0;     // ends what the demo has started

    std::unique_ptr<redis::link> make_link(const std::string& name);
    boost::asio::awaitable<void> connect();
    // Until then, or until Ctrl-C.
    boost::asio::awaitable<void> rest_until(clock::time_point when);
    boost::asio::awaitable<void> stay(); // until Ctrl-C
    std::string redis_cli() const { return "redis-cli -s '" + server_.socket() + "'"; }

    demo_words words_;
    demo_folder folder_;
    runtime::embedded_server server_;
    boost::asio::io_context loop_{1};
    base::notice awake_;
    boost::asio::signal_set signals_;
    base::log_ptr log_;
    base::task_group tasks_;
    std::unique_ptr<redis::link> link_;
    clock::time_point began_;
    bool interrupted_ = false;
    runtime::exit_code exit_ = runtime::exit_code::asked;

private:
    void await_signal();
    boost::asio::awaitable<void> play_and_clean_up();
};

} // namespace leat::cli
