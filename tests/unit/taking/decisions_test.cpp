#include "support/on_loop.hpp"
#include "taking/decisions.hpp"

#include <gtest/gtest.h>

namespace leat::taking {
namespace {

using boost::asio::awaitable;
using namespace std::chrono_literals;

// Two messages in flight, and a kind that decides of them.
class two_messages : public testing::Test {
public:
    void begin() {
        deciding_.emplace(work_, taker_, stop_, base::create_log("test"));
        taker_.opened(1, std::make_shared<lease_proof>("lease", "token"), 1, now_);
        taker_.took({.messages = {{"a", 0, {}}, {"b", 1, {}}}}, 2);
        deciding_->begin();
    }
    void take_again() {
        taker_.opened(2, std::make_shared<lease_proof>("lease", "other"), 1, now_);
        taker_.took({.messages = {{"b", 1, {}}}}, 1);
        deciding_->begin();
    }
    std::size_t decided() const { return taker_.held().decided(); }

    tests::on_loop loop_;
    base::stop_signal stop_{loop_.executor()};
    work work_;
    taker taker_{work_};
    std::optional<decisions> deciding_;
    std::vector<ticket> tickets_;
    int abandoned_ = 0;
    taker::clock::time_point now_{1000s};
};

TEST_F(two_messages, are_decided_at_once) {
    std::vector<std::pair<std::string, std::int64_t>> seen;
    work_.decide = [&seen](const taken& given, ticket) {
        EXPECT_EQ(given.lease->token, "token");
        seen.emplace_back(given.message, given.delivery);
        return std::optional{verdict::done()};
    };
    begin();
    EXPECT_EQ(decided(), 2U);
    EXPECT_EQ(seen, (std::vector<std::pair<std::string, std::int64_t>>{{"a", 1}, {"b", 2}}));
    deciding_->begin();
    EXPECT_EQ(seen.size(), 2U) << "each once";
}

TEST_F(two_messages, are_decided_by_their_tickets_in_any_order) {
    work_.decide = [this](const taken&, ticket later) {
        tickets_.push_back(later);
        return std::nullopt;
    };
    work_.abandon = [this] {
        ++abandoned_;
        tickets_[0].decide(verdict::give_back());
    };
    begin();
    EXPECT_EQ(decided(), 0U);
    tickets_[1].decide(verdict::done());
    EXPECT_EQ(decided(), 1U);
    deciding_->abandon();
    EXPECT_EQ(abandoned_, 1);
    EXPECT_EQ(decided(), 2U);
    loop_.run(deciding_->wait()); // nothing is left to wait for
}

awaitable<verdict> until_abandoned(taken given, base::stop_signal& abandoned) {
    while (given.message == "b" && !abandoned.requested()) {
        co_await abandoned.awake().wait_for(1s);
    }
    co_return given.message == "b" ? verdict::give_back() : verdict::done();
}

awaitable<void> give_up_coroutines(two_messages& test) {
    test.begin();
    co_await test.loop_.pause(1ms);
    EXPECT_EQ(test.decided(), 1U);
    test.deciding_->abandon();
    co_await test.deciding_->wait();
    EXPECT_EQ(test.decided(), 2U);
}

TEST_F(two_messages, are_decided_by_coroutines_which_end_when_they_are_given_up) {
    work_.later = &until_abandoned;
    loop_.run(give_up_coroutines(*this));
}

awaitable<void> lose_the_lease(two_messages& test) {
    test.begin();
    EXPECT_EQ(test.taker_.lost_lease(), 2U);
    test.deciding_->begin_anew();
    test.take_again();
    co_await test.loop_.pause(1ms);
    EXPECT_EQ(test.decided(), 0U) << "what was lost counts no more, and the new one goes on";
    test.deciding_->abandon();
    co_await test.deciding_->wait();
    EXPECT_EQ(test.decided(), 1U);
}

TEST_F(two_messages, of_a_lost_lease_are_given_up_and_those_of_the_next_go_on) {
    work_.later = &until_abandoned;
    loop_.run(lose_the_lease(*this));
}

} // namespace
} // namespace leat::taking
