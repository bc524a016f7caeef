#pragma once

#include "redis/link.hpp"

#include <cstdint>
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
        boost::asio::awaitable<result<std::int64_t>> length() { return read("LLEN"); }
        // EXISTS, likewise: 1 while the key is there.
        boost::asio::awaitable<result<std::int64_t>> exists() { return read("EXISTS"); }

    private:
        boost::asio::awaitable<result<std::int64_t>> read(std::string question);

        friend class listener;
        listener& owner_;
        std::string key_;
        base::notice& awake_;
        std::uint64_t changes_ = 0;
    };

    boost::asio::awaitable<void> run() { return link_->run(); }
    void stop() { link_->stop(); }
    link& connection() { return *link_; }

private:
    void on_push(const reply& push);
    void wake_all();
    static void wake(watch& waiting);

    std::unordered_multimap<std::string, watch*> watches_;
    std::unique_ptr<link> link_;
};

} // namespace leat::redis
