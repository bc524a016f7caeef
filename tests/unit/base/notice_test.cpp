#include "base/notice.hpp"
#include "base/task_group.hpp"

#include <boost/asio/io_context.hpp>

#include <gtest/gtest.h>

namespace leat::base {
namespace {

using std::chrono::steady_clock;

boost::asio::awaitable<void> wait_then_count(notice& on, steady_clock::duration longest, int& count) {
    co_await on.wait_for(longest);
    ++count;
}

boost::asio::awaitable<void> notify(notice& of, int& count, int& seen_before) {
    seen_before = count;
    of.notify_all();
    co_return;
}

TEST(notice, wakes_all_that_wait) {
    boost::asio::io_context loop;
    notice one{loop.get_executor()};
    task_group tasks{loop.get_executor(), create_log("test")};
    int woken = 0;
    int before = -1;
    tasks.spawn("a", wait_then_count(one, std::chrono::hours{1}, woken));
    tasks.spawn("b", wait_then_count(one, std::chrono::hours{1}, woken));
    tasks.spawn("c", notify(one, woken, before));
    auto began = steady_clock::now();
    loop.run();
    EXPECT_EQ(before, 0);
    EXPECT_EQ(woken, 2);
    EXPECT_EQ(tasks.running(), 0U);
    EXPECT_LT(steady_clock::now() - began, std::chrono::minutes{1});
}

TEST(notice, gives_up_after_its_time) {
    boost::asio::io_context loop;
    notice one{loop.get_executor()};
    task_group tasks{loop.get_executor(), create_log("test")};
    int woken = 0;
    tasks.spawn("a", wait_then_count(one, std::chrono::milliseconds{5}, woken));
    loop.run();
    EXPECT_EQ(woken, 1);
}

boost::asio::awaitable<void> fail() {
    throw std::runtime_error{"never mind"};
    co_return;
}

void run_failing_task() {
    boost::asio::io_context loop;
    task_group tasks{loop.get_executor(), create_log("test")};
    tasks.spawn("janitor", fail());
    loop.run();
}

TEST(task_group, an_exception_that_leaves_a_task_aborts_with_its_name) {
    EXPECT_DEATH(run_failing_task(), "task=janitor reason=never mind");
}

} // namespace
} // namespace leat::base
