#include "cli/demo/stage.hpp"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

namespace leat::cli {

using boost::asio::awaitable;

demo_folder::demo_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "leat-demo-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
        throw std::runtime_error{"cannot make a folder " + name};
    }
    path = name;
}

demo_folder::~demo_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
}

demo_stage::demo_stage(demo_words words)
    : words_{words}
    , server_{{.folder = folder_.path, .arguments = {}, .program = {}}}
    , awake_{loop_.get_executor()}
    , signals_{loop_, SIGINT, SIGTERM}
    , log_{base::create_log("demo")}
    , tasks_{loop_.get_executor(), log_} {
    log_->set_level(spdlog::level::off); // a demo may lose its server on purpose
    link_ = make_link("publisher");
}

runtime::exit_code demo_stage::run() {
    await_signal();
    tasks_.spawn("link", link_->run());
    tasks_.spawn("demo", play_and_clean_up());
    loop_.run();
    return exit_;
}

std::unique_ptr<redis::link> demo_stage::make_link(const std::string& name) {
    redis::link_options options;
    options.server = redis::parse_url(server_.url()).value();
    options.client_name = "leat:demo:" + name;
    options.log = log_;
    return redis::create_link(loop_.get_executor(), std::move(options));
}

void demo_stage::await_signal() {
    signals_.async_wait([this](boost::system::error_code cancelled, int) {
        if (cancelled) {
            return;
        }
        if (interrupted_) {
            leave_screen();
            std::_Exit(
                static_cast<int>(runtime::exit_code::failed)); // asked twice: at once, the kernel ends the children
        }
        interrupted_ = true;
        awake_.notify_all();
        await_signal();
    });
}

awaitable<void> demo_stage::play_and_clean_up() {
    try {
        co_await play();
    } catch (const std::exception& reason) { // a server or a child that does not start
        tell(std::string{"the demo cannot go on: "} + reason.what());
        exit_ = runtime::exit_code::failed;
    }
    leave_screen();
    clean_up();
    link_->stop();
    signals_.cancel();
}

awaitable<void> demo_stage::connect() {
    while (!interrupted_ && !link_->connected()) {
        co_await link_->changed().wait_for(std::chrono::seconds{1});
    }
}

awaitable<void> demo_stage::rest_until(clock::time_point when) {
    while (!interrupted_ && clock::now() < when) {
        co_await awake_.wait_for(when - clock::now());
    }
}

awaitable<void> demo_stage::stay() {
    while (!interrupted_) {
        co_await awake_.wait_for(std::chrono::hours{1});
    }
}

} // namespace leat::cli
