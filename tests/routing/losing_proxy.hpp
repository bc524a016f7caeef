#pragma once

#include "support/on_loop.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <array>
#include <memory>
#include <string>
#include <string_view>

namespace leat::tests {

// Between a client and a server, on the loop of the test: carries all of it, but for the answers that it is told to
// lose.
class losing_proxy {
public:
    losing_proxy(on_loop& loop, std::string server_socket)
        : loop_{loop}
        , server_{std::move(server_socket)}
        , clients_{loop.executor(), {boost::asio::ip::address_v4::loopback(), 0}} {
        loop_.also(run());
    }

    std::string url() const { return "redis://127.0.0.1:" + std::to_string(clients_.local_endpoint().port()); }
    // The answer to the next script that the server knows; the connection goes with it.
    void lose_next() { armed_ = true; }
    bool has_lost() const { return has_lost_; }
    void stop() { clients_.close(); }

private:
    using tcp = boost::asio::ip::tcp;
    using local = boost::asio::local::stream_protocol;
    static constexpr auto as_result = boost::asio::as_tuple(boost::asio::use_awaitable);
    struct pair {
        tcp::socket client;
        local::socket server;
        bool loses = false;
        void close() {
            client.close();
            server.close();
        }
    };

    boost::asio::awaitable<void> run() {
        for (;;) {
            auto [ended, client] = co_await clients_.async_accept(as_result);
            if (ended) {
                co_return;
            }
            auto made = std::make_shared<pair>(pair{std::move(client), local::socket{loop_.executor()}});
            made->server.connect(local::endpoint{server_});
            loop_.also(ask(made));
            loop_.also(answer(made));
        }
    }

    boost::asio::awaitable<void> ask(std::shared_ptr<pair> on) {
        std::array<char, 65'536> bytes{};
        for (;;) {
            auto [ended, count] = co_await on->client.async_read_some(boost::asio::buffer(bytes), as_result);
            if (ended) {
                co_return on->close();
            }
            if (armed_ && std::string_view{bytes.data(), count}.find("EVALSHA") != std::string_view::npos) {
                armed_ = false;
                on->loses = true;
            }
            co_await boost::asio::async_write(on->server, boost::asio::buffer(bytes.data(), count), as_result);
        }
    }

    boost::asio::awaitable<void> answer(std::shared_ptr<pair> on) {
        std::array<char, 65'536> bytes{};
        for (;;) {
            auto [ended, count] = co_await on->server.async_read_some(boost::asio::buffer(bytes), as_result);
            if (ended || on->loses) {
                has_lost_ = has_lost_ || on->loses;
                co_return on->close();
            }
            co_await boost::asio::async_write(on->client, boost::asio::buffer(bytes.data(), count), as_result);
        }
    }

    on_loop& loop_;
    std::string server_;
    tcp::acceptor clients_;
    bool armed_ = false;
    bool has_lost_ = false;
};

} // namespace leat::tests
