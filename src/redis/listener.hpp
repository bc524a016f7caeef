#pragma once

#include "base/task_group.hpp"
#include "redis/link.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

namespace leat::redis {

// Waits for lists and keys without taking, writing or receiving anything of them: a connection of its own with client
// tracking, on which a read registers a key and the next write by anyone sends one invalidation. A wake is a hint
// (names carry no database, and a reconnect or FLUSHALL counts for every key), so whoever is woken reads again.
//
//   listener::watch in{listener, "in", awake};
//   auto seen = in.changes();                 // before the read, so that no invalidation is missed
//   auto length = co_await in.length();
//   if (length == 0 && in.changes() == seen) co_await awake.wait_for(tick);
class listener {
public:
    listener(const boost::asio::any_io_executor& executor, link_options options);

    class watch {
    public:
        watch(listener& owner, std::string key, base::notice& awake);
        watch(const watch&) = delete;
        watch& operator=(const watch&) = delete;
        ~watch();

        std::uint64_t changes() const { return changes_; }
        // LLEN on the listening connection: from now on the next change of the list counts.
        boost::asio::awaitable<result<std::int64_t>> length() { return owner_.read("LLEN", key_); }
        // EXISTS, likewise: 1 while the key is there.
        boost::asio::awaitable<result<std::int64_t>> exists() { return owner_.read("EXISTS", key_); }
        // Of a sorted set by dates in seconds, likewise: milliseconds until the first of them, by the server's clock,
        // and 0 when it has passed; -1 when the set is empty.
        boost::asio::awaitable<result<std::int64_t>> until_first() { return owner_.read_first_date(key_); }

    private:
        friend class listener;
        listener& owner_;
        std::string key_;
        base::notice& awake_;
        std::uint64_t changes_ = 0;
    };

    // As a watch reads it, for who will not wait for an answer that hangs.
    void ask_length(std::string key, std::function<void(result<std::int64_t>)> answered);

    boost::asio::awaitable<void> run();
    void stop() { link_->stop(); }
    link& connection() { return *link_; }

private:
    boost::asio::awaitable<result<std::int64_t>> read(std::string question, std::string key);
    boost::asio::awaitable<result<std::int64_t>> read_first_date(std::string key);
    boost::asio::awaitable<void> read_length(std::string key, std::function<void(result<std::int64_t>)> answered);
    void on_push(const reply& push);
    void wake_all();
    static void wake(watch& waiting);

    std::unordered_multimap<std::string, watch*> watches_;
    std::unique_ptr<link> link_;
    base::task_group reads_;
};

} // namespace leat::redis
