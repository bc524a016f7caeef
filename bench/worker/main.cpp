// A kind with an empty decision: what take, settle and the loop around them cost. `push`: each message goes to out0.
//
//   bench_worker URL CONCURRENCY now|later|push HELD
#include "taking/work_loop.hpp"

#include <cstdlib>
#include <iostream>

namespace {

using namespace leat;

int held = 0; // the first ones are never settled

boost::asio::awaitable<taking::verdict> decide(taking::taken, base::stop_signal& abandoned) {
    if (held > 0) {
        --held;
        co_await abandoned.awake().wait_for(std::chrono::hours{1});
    }
    co_return taking::verdict::done();
}

boost::asio::awaitable<void> run(taking::work_loop& loop) {
    co_await loop.run();
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 5) {
        std::cerr << "usage: bench_worker URL CONCURRENCY now|later|push HELD\n";
        return 2;
    }
    boost::asio::io_context io{1};
    auto log = base::create_log("bench");
    runtime::connections connections{io.get_executor(), log, "bench"};
    runtime::metrics nowhere{io.get_executor()};
    runtime::context given{
        .executor = io.get_executor(),
        .kind = "bench",
        .name = "bench",
        .version = "",
        .client_name = "leat:bench:bench",
        .log = log,
        .redis = connections,
        .metrics = nowhere};
    auto server = redis::parse_url(argv[1]).value();
    held = std::atoi(argv[4]);
    taking::work work;
    work.in = "in";
    work.pending = "in:pending";
    work.dead = "in:dead";
    work.concurrency = std::atoi(argv[2]);
    std::string how = argv[3];
    if (how == "now") {
        work.decide = [](const taking::taken&, taking::ticket) { return taking::verdict::done(); };
    } else if (how == "push") {
        work.pushes = true;
        work.decide = [](const taking::taken& one, taking::ticket) {
            std::vector<taking::verdict::push> pushes;
            pushes.push_back({.to = "out0", .message = one.message});
            return taking::verdict::done(std::move(pushes));
        };
    } else {
        work.later = &decide;
    }
    auto loop = taking::create_work_loop(
        given, server, taking::name_space_home{server, "ns", "ns:message:done"}, std::move(work));
    base::task_group tasks{io.get_executor(), log};
    tasks.spawn("loop", run(*loop));
    io.run();
}
