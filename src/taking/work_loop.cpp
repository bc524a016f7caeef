#include "taking/work_loop.hpp"

#include "runtime/queue_wait.hpp"
#include "runtime/server_check.hpp"
#include "taking/decisions.hpp"
#include "taking/lease_calls.hpp"
#include "taking/message_calls.hpp"
#include "taking/unread_calls.hpp"

namespace leat::taking {
namespace {

using boost::asio::awaitable;
using runtime::exit_code;
using clock = taker::clock;
using namespace std::chrono_literals;

// Asks the taker what is next and has it carried out, one step at a time.
class loop final : public work_loop {
public:
    loop(const runtime::context& given, const redis::url& server, std::optional<name_space_home> name_space, work what)
        : log_{given.log}
        , work_{std::move(what)}
        , stop_{given.executor}
        , server_{given.redis.server_of(server, given.client_name, log_, stop_)}
        , taker_{work_}
        , counts_{given, work_.in, server_.calls(), std::move(name_space)}
        , ours_{work_, store::taking_keys{work_.pending}, given.name, server_, taker_, counts_, log_}
        , decisions_{work_, taker_, stop_, log_}
        , in_{server_.ears(), work_.in, stop_, work_.tick}
        , dead_consumers_{given.redis.called_server_of(server, given.client_name, log_, stop_, "what dead consumers had in flight cannot be recovered", 10s), work_, counts_, log_}
        , forwarder_{
              given.redis.called_server_of(
                  server, given.client_name, log_, stop_, "messages whose pause is over cannot be tried again"),
              ours_.keys, work_.in, counts_} {}

    awaitable<exit_code> run() override {
        co_await server_.await_connection();
        bool goes_on = true;
        while (goes_on) {
            taker::errands others{.recover = dead_consumers_.due(), .forward = forwarder_.due()};
            auto step = taker_.next(connection(), others, clock::now());
            if (step.is == taker::action::end) {
                break;
            }
            auto came = co_await carry_out(step);
            if (!came) {
                refused_ = refused_ || moves(step);
                if (server_.calls().connected()) { // a lost connection is no error of ours
                    counts_.failed();
                }
                goes_on = co_await server_.after(came.error());
            } else if (*came == came_of::lease_lost) {
                lose_lease();
            } else if (*came == came_of::done && (!refused_ || moves(step))) {
                refused_ = false;
                server_.answered();
            }
            decisions_.begin();
        }
        decisions_.abandon(); // what still runs is another's, or nobody's any more
        co_await decisions_.wait();
        co_await lease_.leave();
        counts_.log_end(*log_, taker_.totals(), server_.failures());
        co_return goes_on ? exit_code::asked : exit_code::failed;
    }

    void stop() override {
        stop_.request();
        server_.calls().changed().notify_all();
        taker_.stop(clock::now());
    }

    void registered(std::int64_t id) override { counts_.registered(id); }

private:
    // Only they show that messages can be taken or acknowledged again.
    static bool moves(taker::step step) {
        return step.is == taker::action::take || step.is == taker::action::settle ||
               (step.is == taker::action::renew && step.most > 0);
    }

    taker::connection connection() const {
        auto& link = server_.calls();
        return {.epoch = link.connects(), .up = link.connected(), .ended = link.ended()};
    }

    called carry_out(taker::step step) {
        switch (step.is) {
        case taker::action::check:
            return check();
        case taker::action::open:
            return open();
        case taker::action::look:
            return lease_.look();
        case taker::action::recover:
            return recover();
        case taker::action::forward:
            return forward();
        case taker::action::begin:
            return begin_unread();
        case taker::action::fetch:
            return unread_.fetch();
        case taker::action::bury:
            return unread_.bury();
        case taker::action::take:
            return messages_.take(step.most);
        case taker::action::renew: // it chose nothing
        case taker::action::settle:
            return messages_.settle(step.most);
        case taker::action::rest:
        case taker::action::end:
            break;
        }
        return rest(step);
    }

    called check() {
        auto checked = co_await runtime::check_server(server_.calls(), log_);
        if (!checked) {
            co_return checked.error();
        }
        taker_.checked();
        co_return came_of::done;
    }

    called open() {
        auto opened = co_await lease_.open();
        if (opened) {
            dead_consumers_.begin();
        }
        co_return opened;
    }

    void lose_lease() {
        auto lost = taker_.lost_lease();
        if (lost > 0) {
            log_->warn("the lease was lost, what was in flight is another's now in={} messages={}", work_.in, lost);
        }
        decisions_.begin_anew();
    }

    called recover() {
        auto found = co_await dead_consumers_.recover(taker_.id(), counts_.service(), counts_.metrics_here());
        if (!found) {
            co_return found.error(); // what is in flight goes on
        }
        taker_.recovered(found->recovered + found->buried > 0);
        counts_.recovered(found->recovered, found->buried);
        co_return came_of::nothing;
    }

    called forward() {
        auto forwarded = co_await forwarder_.forward();
        if (!forwarded) {
            co_return forwarded.error();
        }
        taker_.forwarded(*forwarded > 0);
        co_return came_of::nothing;
    }

    called begin_unread() {
        taker_.begin_waiting(clock::now());
        co_return came_of::nothing;
    }

    called rest(taker::step step) {
        if (taker_.is_out_of_patience(clock::now())) {
            decisions_.abandon();
        }
        if (step.listens) {
            auto connects = server_.calls().connects();
            // Named, because GCC 12 destroys temporaries inside co_await twice.
            std::function<bool(std::int64_t)> any = [](std::int64_t length) { return length > 0; };
            std::function<bool()> other = [this, connects] {
                return taker_.can_acknowledge() || server_.calls().connects() != connects;
            };
            co_await in_.until(std::move(any), std::move(other), step.until);
        } else {
            co_await stop_.awake().wait_for(step.until - clock::now());
        }
        taker_.rested(step.listens);
        if (server_.ears().connection().refused()) {
            co_return *server_.ears().connection().refused();
        }
        co_return came_of::nothing;
    }

    base::log_ptr log_;
    work work_;
    base::stop_signal stop_;
    redis::server server_;
    bool refused_ = false; // messages could not be taken, or not be acknowledged
    taker taker_;
    taking_counts counts_;
    instance ours_;
    decisions decisions_;
    runtime::queue_wait in_;
    dead_consumers dead_consumers_;
    forwarder forwarder_;
    lease_calls lease_{ours_};
    unread_calls unread_{ours_};
    message_calls messages_{ours_, dead_consumers_, forwarder_};
};

} // namespace

std::unique_ptr<work_loop> create_work_loop(
    const runtime::context& given, const redis::url& server, std::optional<name_space_home> name_space, work what) {
    return std::make_unique<loop>(given, server, std::move(name_space), std::move(what));
}

} // namespace leat::taking
