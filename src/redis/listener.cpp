#include "redis/listener.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace leat::redis {

listener::listener(const boost::asio::any_io_executor& executor, link_options options)
    : reads_{executor, options.log} {
    options.on_connect = [this] { wake_all(); }; // nothing was registered while there was no connection
    options.on_push = [this](const reply& push) { on_push(push); };
    link_ = create_link(executor, std::move(options));
}

boost::asio::awaitable<void> listener::run() {
    co_await link_->run();
    co_await reads_.wait();
}

void listener::ask_length(std::string key, std::function<void(result<std::int64_t>)> answered) {
    reads_.spawn("read a length", read_length(std::move(key), std::move(answered)));
}

boost::asio::awaitable<void> listener::read_length(
    std::string key, std::function<void(result<std::int64_t>)> answered) {
    std::string question{"LLEN"};
    auto length = co_await read(std::move(question), std::move(key));
    answered(std::move(length));
}

void listener::wake(watch& waiting) {
    ++waiting.changes_;
    waiting.awake_.notify_all();
}

void listener::wake_all() {
    for (auto& [key, waiting] : watches_) {
        wake(*waiting);
    }
}

// `invalidate` and the keys, or null for all of them.
void listener::on_push(const reply& push) {
    auto words = push.texts();
    if (words.empty() || words.front() != "invalidate") {
        return;
    }
    if (words.size() == 1) {
        wake_all();
        return;
    }
    for (std::size_t i = 1; i < words.size(); ++i) {
        auto [from, to] = watches_.equal_range(std::string{words[i]});
        for (auto each = from; each != to; ++each) {
            wake(*each->second);
        }
    }
}

listener::watch::watch(listener& owner, std::string key, base::notice& awake)
    : owner_{owner}
    , key_{std::move(key)}
    , awake_{awake} {
    owner_.watches_.emplace(key_, this);
}

listener::watch::~watch() {
    auto [from, to] = owner_.watches_.equal_range(key_);
    for (auto each = from; each != to; ++each) {
        if (each->second == this) {
            owner_.watches_.erase(each);
            return;
        }
    }
}

boost::asio::awaitable<result<std::int64_t>> listener::read_first_date(std::string key) {
    command words{"ZRANGE", std::move(key), "0", "0", "WITHSCORES"};
    auto first = co_await link_->call(std::move(words));
    if (!first) {
        co_return first.error();
    }
    auto member_and_date = first->texts();
    if (member_and_date.size() < 2) {
        co_return -1;
    }
    command ask{"TIME"};
    auto time = co_await link_->call(std::move(ask));
    if (!time) {
        co_return time.error();
    }
    auto now = time->texts();
    auto seconds = std::strtod(std::string{member_and_date[1]}.c_str(), nullptr);
    auto passed = std::strtod(std::string{now.at(0)}.c_str(), nullptr) +
                  std::strtod(std::string{now.at(1)}.c_str(), nullptr) / 1e6;
    co_return std::max<std::int64_t>(0, static_cast<std::int64_t>(std::ceil((seconds - passed) * 1000)));
}

boost::asio::awaitable<result<std::int64_t>> listener::read(std::string question, std::string key) {
    command words{std::move(question), std::move(key)}; // GCC 12 cannot compile a braced list inside co_await
    auto answer = co_await link_->call(std::move(words));
    if (!answer) {
        co_return answer.error();
    }
    co_return answer->whole();
}

} // namespace leat::redis
