#include "redis/link.hpp"

#include "base/mask.hpp"
#include "base/task_group.hpp"
#include "redis/backoff.hpp"
#include "redis/tls.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/redis/connection.hpp>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace leat::redis {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
constexpr auto as_result = asio::as_tuple(asio::use_awaitable);

node::type type_of(boost::redis::resp3::type given) {
    using boost::redis::resp3::type;
    switch (given) {
    case type::number:
        return node::type::whole;
    case type::null:
        return node::type::null;
    case type::simple_error:
    case type::blob_error:
        return node::type::error;
    case type::array:
    case type::push:
    case type::set:
    case type::map:
    case type::attribute:
        return node::type::group;
    default:
        return node::type::text;
    }
}

// Collects the nodes of one answer.
boost::redis::any_adapter into(reply& answer) {
    return boost::redis::any_adapter{
        [&answer](boost::redis::any_adapter::parse_event event, const auto& seen, error_code&) {
            if (event == boost::redis::any_adapter::parse_event::node) {
                answer.nodes.push_back({type_of(seen.data_type), seen.depth, std::string{seen.value}});
            }
        }};
}

// Hands each push on as soon as it is complete.
boost::redis::any_adapter into(reply& push, const std::function<void(const reply&)>& handler) {
    return boost::redis::any_adapter{
        [&push, &handler](boost::redis::any_adapter::parse_event event, const auto& seen, error_code&) {
            switch (event) {
            case boost::redis::any_adapter::parse_event::init:
                push.nodes.clear();
                break;
            case boost::redis::any_adapter::parse_event::node:
                push.nodes.push_back({type_of(seen.data_type), seen.depth, std::string{seen.value}});
                break;
            case boost::redis::any_adapter::parse_event::done:
                handler(push);
                break;
            }
        }};
}

boost::redis::config connection_config(const link_options& options) {
    const auto& server = options.server;
    boost::redis::config made;
    made.use_ssl = server.via == url::transport::tls;
    made.addr = {server.host, server.port};
    made.unix_socket = server.path;
    made.health_check_interval = options.health_check;
    made.reconnect_wait_interval = std::chrono::seconds{0}; // run() below does it: backoff, jitter, fresh look-up
    made.resolve_timeout = made.connect_timeout = made.ssl_handshake_timeout = std::chrono::seconds{5};
    for (const auto& each : server.sentinels) { // asked at each connect, as every try is a new connection
        made.sentinel.addresses.push_back({each.host, each.port});
    }
    made.sentinel.master_name = server.master;
    made.use_setup = true;
    made.setup.clear();
    std::vector<std::string> hello{"3"};
    if (!server.password.empty()) {
        hello.insert(hello.end(), {"AUTH", server.user.empty() ? "default" : server.user, server.password});
    }
    hello.insert(hello.end(), {"SETNAME", options.client_name});
    made.setup.push_range("HELLO", hello);
    if (server.db != 0) {
        made.setup.push("SELECT", server.db);
    }
    if (options.on_push) {
        made.setup.push("CLIENT", "TRACKING", "ON");
    }
    return made;
}

// What a server may quote of our handshake, and nobody is to read.
std::vector<std::string> secrets_of(const url& server) {
    std::vector<std::string> secrets{server.password};
    if (server.user != "default") {
        secrets.push_back(server.user);
    }
    return secrets;
}

bool is_of_cluster(const reply& about) {
    const auto& all = about.nodes;
    for (std::size_t at = 0; at + 1 < all.size(); ++at) {
        if (all[at].depth == 1 && all[at].text == "mode" && all[at + 1].text == "cluster") {
            return true;
        }
    }
    return false;
}

// Messages would be lost while a slot moves.
constexpr auto cluster_text = "the server is part of a cluster (cluster mode is on); leat needs a single server, "
                              "or one behind Sentinel";

// One connection from its first byte to its last. Calls keep it alive while they wait on it.
struct session {
    session(const asio::any_io_executor& executor, asio::ssl::context tls, boost::redis::logger log)
        : connection{executor, std::move(tls), std::move(log)} {}

    boost::redis::connection connection;
    std::string last_error; // Boost.Redis tells the text of a refused handshake only to its logger
    bool of_cluster = false;
    reply push;
    bool over = false;
};

class boost_link final : public link {
public:
    boost_link(asio::any_io_executor executor, link_options options)
        : executor_{std::move(executor)}
        , options_{std::move(options)}
        , secrets_{secrets_of(options_.server)}
        , changed_{executor_}
        , tasks_{executor_, options_.log} {}

    asio::awaitable<void> run() override {
        backoff pause;
        while (!stopped_) {
            auto began = std::chrono::steady_clock::now();
            dropped_ = false;
            auto lost = co_await connect_once();
            // A server that lets us in and throws us out at once is no server to hurry back to.
            bool lasted = std::chrono::steady_clock::now() - began > std::chrono::seconds{1};
            if (stopped_) {
                break;
            }
            if (lost.kind == error_class::stop) {
                refused_ = lost;
                changed_.notify_all();
                co_return;
            }
            failed_because_ = lost.text;
            changed_.notify_all();
            if (!dropped_) {
                tell(lost, lasted);
            }
            if (lasted || std::exchange(served_, false)) { // what was asked of it may be what ended it
                pause.reset();
            }
            co_await changed_.wait_for(pause.next());
        }
    }

    void stop() override {
        stopped_ = true;
        drop();
        changed_.notify_all();
    }

    asio::awaitable<result<reply>> call(command words) override {
        if (!ready_) {
            co_return failure{error_class::find_server, "not connected to " + options_.server.shown, false, connects_};
        }
        auto current = session_;
        auto epoch = connects_;
        auto answer = co_await send(current, std::move(words));
        served_ = served_ || answer;
        if (!answer && answer.error().kind == error_class::find_server && answer.error().outcome_unknown &&
            current == session_) {
            set_ready(false); // we may hear of the loss before run() does
        }
        if (!answer) {
            auto failed = masked(answer.error());
            failed.epoch = epoch;
            co_return failed;
        }
        co_return masked(std::move(*answer));
    }

    const std::optional<failure>& refused() const override { return refused_; }
    bool tells_refusal() override { return refused_ && !std::exchange(told_refusal_, true); }
    const std::string& trouble() const override { return failed_because_; }
    std::string masked(std::string_view text) const override { return base::mask_secrets(text, secrets_); }
    bool ended() const override { return stopped_ || refused_; }
    bool connected() const override { return ready_; }
    std::uint64_t connects() const override { return connects_; }
    std::chrono::steady_clock::time_point connected_since() const override { return connected_since_; }
    base::notice& changed() override { return changed_; }
    const url& server() const override { return options_.server; }

    void reconnect() override {
        dropped_ = true; // on purpose: whoever asked for it has told why
        drop();
    }

private:
    void drop() {
        set_ready(false);
        if (session_) {
            session_->connection.cancel();
        }
    }

    // Returns what ended the connection.
    asio::awaitable<failure> connect_once() {
        auto tls = options_.server.via == url::transport::tls
                       ? create_tls_context(options_.server)
                       : result<asio::ssl::context>{asio::ssl::context{asio::ssl::context::tls_client}};
        if (!tls) {
            // A file that cannot be read at the start is a mistake; later it may be in the middle of a change.
            co_return failure{connects_ == 0 ? error_class::stop : error_class::find_server, tls.error().text};
        }
        session_ = make_session(std::move(*tls));
        auto current = session_;
        tasks_.spawn("greet", greet(current));
        if (options_.on_push) {
            auto adapter = into(current->push, options_.on_push);
            current->connection.set_receive_response(adapter);
            tasks_.spawn("drain pushes", drain_pushes(current));
        }
        auto config = connection_config(options_);
        auto [ended] = co_await current->connection.async_run(config, as_result);
        set_ready(false);
        current->over = true;
        current->connection.cancel();
        co_await tasks_.wait();
        session_.reset();
        co_return masked(explain(ended, *current));
    }

    std::shared_ptr<session> make_session(asio::ssl::context tls) {
        auto holder = std::make_shared<std::weak_ptr<session>>();
        boost::redis::logger logger{
            boost::redis::logger::level::err, [holder](boost::redis::logger::level, std::string_view line) {
                if (auto owner = holder->lock()) {
                    owner->last_error = line;
                }
            }};
        auto made = std::make_shared<session>(executor_, std::move(tls), std::move(logger));
        *holder = made;
        return made;
    }

    // What the server says leaves us without the secrets that it quotes. Its class is known before.
    failure masked(failure told) const {
        told.text = masked(told.text);
        return told;
    }

    reply masked(reply answer) const {
        for (auto& each : answer.nodes) {
            if (each.is == node::type::error) {
                each.text = masked(each.text);
            }
        }
        return answer;
    }

    // The first answer proves that the server serves us: not loading, not frozen, the handshake accepted. The second
    // needs no right; a server that does not know the question passes.
    asio::awaitable<void> greet(std::shared_ptr<session> current) {
        command words{"PING"}; // GCC 12 cannot compile a braced list inside co_await
        auto answer = co_await send(current, std::move(words));
        if (answer) {
            command ask{"HELLO"};
            auto about = co_await send(current, std::move(ask));
            current->of_cluster = about && is_of_cluster(*about);
            if (!about && about.error().outcome_unknown) {
                answer = std::move(about);
            }
        }
        if (answer && !current->of_cluster) {
            set_socket_options(*current);
            ++connects_;
            failed_because_.clear();
            connected_since_ = std::chrono::steady_clock::now();
            set_ready(true);
            if (options_.on_connect) {
                options_.on_connect();
            }
        } else {
            if (!answer && current->last_error.empty()) {
                current->last_error = answer.error().text;
            }
            current->connection.cancel();
        }
    }

    // Boost.Redis stops reading at 256 unread pushes; the adapter has already seen them, so this only drains.
    static asio::awaitable<void> drain_pushes(std::shared_ptr<session> current) {
        while (!current->over) {
            auto [ended] = co_await current->connection.async_receive2(as_result);
            if (ended) {
                co_return;
            }
        }
    }

    static asio::awaitable<result<reply>> send(std::shared_ptr<session> current, command words) {
        boost::redis::request request{
            {.cancel_on_connection_lost = true,
             .cancel_if_not_connected = false,
             .cancel_if_unresponded = true,
             .hello_with_priority = false}};
        if (words.size() == 1) {
            request.push(words.front()); // an empty range would send nothing at all
        } else {
            request.push_range(words.front(), words.begin() + 1, words.end());
        }
        reply answer;
        auto [lost, size] = co_await current->connection.async_exec(request, into(answer), as_result);
        auto state = co_await asio::this_coro::cancellation_state;
        if (lost && state.cancelled() != asio::cancellation_type::none) { // by who asked; the connection is as before
            co_return failure{error_class::retry, "no answer in time", true};
        }
        if (lost) {
            co_return failure{error_class::find_server, "connection lost: " + lost.message(), true};
        }
        if (!answer.nodes.empty() && answer.nodes.front().is == node::type::error) {
            auto& text = answer.nodes.front().text;
            co_return failure{classify(text), std::move(text)};
        }
        co_return answer;
    }

    void set_socket_options(session& current) const {
        if (options_.server.via == url::transport::unix_socket) {
            return;
        }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations" // Boost.Redis offers no other way to the socket
        int socket = current.connection.next_layer().lowest_layer().native_handle();
#pragma GCC diagnostic pop
        auto set = [socket](int level, int name, int value) {
            ::setsockopt(socket, level, name, &value, sizeof value);
        };
        auto seconds = static_cast<int>(options_.health_check.count());
        set(IPPROTO_TCP, TCP_NODELAY, 1);
        set(SOL_SOCKET, SO_KEEPALIVE, 1);
        set(IPPROTO_TCP, TCP_KEEPIDLE, seconds);
        set(IPPROTO_TCP, TCP_KEEPINTVL, seconds);
        set(IPPROTO_TCP, TCP_KEEPCNT, 2);
        set(IPPROTO_TCP, TCP_USER_TIMEOUT, 2 * seconds * 1000);
    }

    failure explain(const error_code& ended, const session& one) const {
        static constexpr std::string_view refused = "Setup request execution failed: ";
        const auto& last_error = one.last_error;
        if (one.of_cluster || last_error.find("SELECT is not allowed in cluster mode") != std::string::npos) {
            return {error_class::stop, cluster_text};
        }
        auto start = last_error.find(refused);
        auto text = start == std::string::npos ? last_error : last_error.substr(start + refused.size());
        if (ended.category() == asio::error::get_ssl_category()) {
            auto reason = "TLS failed: " + ended.message();
            // A certificate that never fitted will not fit later; one that stops fitting may be in the middle of a
            // change, and all else may be a server in the middle of a restart.
            bool misfit =
                reason.find("certificate") != std::string::npos || reason.find("unknown ca") != std::string::npos;
            return {misfit && connects_ == 0 ? error_class::stop : error_class::find_server, std::move(reason)};
        }
        if (start != std::string::npos || (ended == asio::error::operation_aborted && !text.empty())) {
            return {classify(text) == error_class::stop ? error_class::stop : error_class::find_server, text};
        }
        // Of the network's errors our own word is shorter; of the server's only the logger has the text.
        bool from_server =
            ended.category() == boost::redis::make_error_code(boost::redis::error::not_connected).category();
        return {error_class::find_server, (from_server && !text.empty()) || !ended ? text : ended.message()};
    }

    void set_ready(bool ready) {
        if (ready_ == ready) {
            return;
        }
        ready_ = ready;
        if (ready && trouble_) {
            options_.log->info("Redis answers again server={}", options_.server.shown);
            trouble_ = false;
        }
        changed_.notify_all();
    }

    // Once when it begins, then every half minute.
    void tell(const failure& lost, bool lasted) {
        auto now = std::chrono::steady_clock::now();
        auto quiet = std::chrono::seconds{lost.text == told_text_ ? 30 : 2};
        if (!lasted && told_ && now - *told_ < quiet) {
            return;
        }
        told_ = now;
        told_text_ = lost.text;
        trouble_ = true;
        options_.log->warn(
            "Redis does not answer, trying again server={} reason=\"{}\"", options_.server.shown, lost.text);
    }

    asio::any_io_executor executor_;
    link_options options_;
    std::vector<std::string> secrets_;
    base::notice changed_;
    base::task_group tasks_;
    std::shared_ptr<session> session_;
    bool ready_ = false;
    bool served_ = false; // this connection has answered a call
    bool stopped_ = false;
    bool dropped_ = false;
    std::uint64_t connects_ = 0;
    std::chrono::steady_clock::time_point connected_since_;
    std::optional<failure> refused_;
    bool told_refusal_ = false;
    std::optional<std::chrono::steady_clock::time_point> told_;
    std::string told_text_;
    std::string failed_because_;
    bool trouble_ = false; // told, and not yet over
};

} // namespace

std::unique_ptr<link> create_link(asio::any_io_executor executor, link_options options) {
    return std::make_unique<boost_link>(std::move(executor), std::move(options));
}

} // namespace leat::redis
