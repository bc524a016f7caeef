#include "model/bridge_world.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

namespace leat::tests {
namespace {

using fate = bridge_world::fate;
using clock = std::chrono::steady_clock;

double seconds_from(const char* name, double otherwise) {
    const char* given = std::getenv(name);
    return given != nullptr ? std::atof(given) : otherwise;
}

// Ids that people may have, and that keys could be mistaken for.
std::string nasty(std::mt19937& random, const std::string& id) {
    static const std::vector<std::string> shapes{
        "pendingMessages",
        "req",
        "res",
        "asyncRequest",
        "counts",
        "events",
        "state",
        "req:x",
        "res:rs",
        "asyncRequest:n1",
        "x:req",
        "x:lock",
        "a{b}c",
        "{}",
        "%7Breq",
        "50%",
        "say \"hi\"",
        "back\\slash",
        "\\\",\\\"rsId\\\":\\\"",
        "\",\"rsId\":\"",
        "tab\there",
        std::string("nul\0byte", 8),
        "zażółć",
        "\xf0\x9f\x92\xa7",
        "19:abc@thread.v2;x",
        " ",
        "\n",
        "a:b:c:req"};
    const auto& shape = shapes[random() % shapes.size()];
    return random() % 2 == 0 ? shape + id : id + shape;
}

// One schedule of a few hundred steps, anything in any order.
void play(clocked_server& server, std::uint32_t seed, int steps) {
    std::mt19937 random{seed};
    auto below = [&random](std::size_t bound) { return static_cast<std::size_t>(random() % bound); };
    int instances = 2 + static_cast<int>(below(4));
    bridge_world world{
        server, instances, [&](const std::string&) {
            auto dice = below(20);
            return dice < 12 ? fate::ok : dice < 16 ? fate::async : dice < 19 ? fate::recoverable : fate::fatal;
        }};
    bool strange_ids = below(3) == 0;
    bool is_left_alone = below(2) == 0;
    int stand_still = -1; // who has taken something, and does not move
    std::vector<std::string> conversations;
    for (std::size_t i = 0; i < 1 + below(3); ++i) {
        auto id = "c" + std::to_string(i);
        conversations.push_back(strange_ids ? nasty(random, id) : id);
    }
    int requests = 0;
    int responses = 0;
    std::vector<std::array<std::string, 3>> known; // responses, for repetition
    static constexpr std::array<std::int64_t, 8> times{1, 50, 500, 1'000, 5'000, 10'000, 30'000, 100'000};
    for (int step = 0; step < steps; ++step) {
        auto who = static_cast<int>(below(static_cast<std::size_t>(instances)));
        if (who == stand_still && below(4) != 0) {
            continue;
        }
        const auto& held = world.claims_of(who);
        auto all = world.requests();
        switch (below(13)) {
        case 0:
        case 1: {
            auto id = "q" + std::to_string(++requests);
            auto skew = static_cast<std::int64_t>(below(10'001)) - 5'000; // I11
            world.add_request(
                who, conversations[below(conversations.size())], strange_ids ? nasty(random, id) : id, skew);
            break;
        }
        case 2:
        case 3:
        case 4:
            if (!all.empty()) {
                auto to = all[below(std::min<std::size_t>(all.size(), 8)) + (all.size() > 8 ? all.size() - 8 : 0)];
                auto id = "s" + std::to_string(++responses);
                id = strange_ids ? nasty(random, id) : id;
                world.add_response(who, world.conversation_of(to), to, id, below(10) == 0);
                known.push_back({world.conversation_of(to), to, id});
            }
            break;
        case 5:
        case 6:
            if (!held.empty() && !held.front().sent) {
                world.send(who, 0);
            }
            break;
        case 7:
        case 8:
            for (std::size_t i = 0; i < held.size(); ++i) {
                if (held[i].sent) {
                    world.complete(who, i);
                    break;
                }
            }
            break;
        case 9:
            world.collect(who, 1 + static_cast<std::int64_t>(below(15)));
            break;
        case 10:
            if (is_left_alone && below(5) == 0) {
                static constexpr std::array<std::int64_t, 4> absences{6'000, 35'000, 95'000, 950'000};
                world.leave(absences[below(4)], static_cast<int>(below(3)), static_cast<int>(below(3)));
            } else {
                world.advance(times[below(below(4) == 0 ? times.size() : 5)]);
            }
            break;
        case 11:
            if (world.acknowledgements() > 0) {
                auto dice = below(8);
                auto how = dice < 6    ? store::bridge_sending::sent
                           : dice == 6 ? store::bridge_sending::recoverable
                                       : store::bridge_sending::fatal;
                world.acknowledge(who, below(world.acknowledgements()), below(4) != 0, how);
            }
            break;
        default:
            switch (below(9)) {
            case 0:
                world.crash(who);
                break;
            case 6:
                world.redrive(who);
                break;
            case 7:
                if (stand_still < 0 && !all.empty()) {
                    const auto& to = all.back();
                    auto id = "s" + std::to_string(++responses);
                    stand_still = who;
                    world.hold_back(who, world.conversation_of(to), to, strange_ids ? nasty(random, id) : id);
                }
                break;
            case 8:
                if (stand_still >= 0) {
                    if (below(3) != 0) {
                        world.recover(stand_still);
                        if (below(2) == 0) {
                            world.leave(95'000); // longer than every lease, and than what is remembered
                        }
                    }
                    world.wake(std::exchange(stand_still, -1));
                }
                break;
            case 1:
                if (!all.empty()) {
                    world.cancel(who, all[below(all.size())]);
                }
                break;
            case 2:
                world.set_room(who, static_cast<std::int64_t>(below(4)));
                break;
            case 3:
                if (!known.empty()) { // a producer that tries again
                    const auto& [conversation, request, id] = known[below(known.size())];
                    world.add_response(who, conversation, request, id);
                }
                break;
            case 4:
                if (!all.empty()) {
                    const auto& request = all[below(all.size())];
                    world.add_request(who, world.conversation_of(request), request);
                }
                break;
            default:
                world.check_references();
            }
        }
    }
    if (stand_still >= 0) {
        world.wake(stand_still);
    }
    if (below(4) == 0) {
        world.sicken(); // for as long as anything lives
    }
    world.drain();
}

// All ways to choose, one after the other: the last choice that has another way left takes it, what comes after begins
// anew.
class every_choice {
public:
    std::size_t pick(std::size_t ways) {
        if (depth_ == path_.size()) {
            path_.push_back({0, ways});
        }
        return path_[depth_++].first;
    }
    bool next() {
        while (!path_.empty() && path_.back().first + 1 == path_.back().second) {
            path_.pop_back();
        }
        depth_ = 0;
        if (path_.empty()) {
            return false;
        }
        ++path_.back().first;
        return true;
    }

private:
    std::vector<std::pair<std::size_t, std::size_t>> path_; // chosen, of so many
    std::size_t depth_ = 0;
};

struct small_world {
    int replies = 1;       // of each of the two requests
    int faults = 0;        // crashes and long pauses, at most
    fate first = fate::ok; // how the client takes each response the first time
};

// Two instances, each brings a request and its replies; sends, outcomes, acknowledgements and faults in an order that
// is chosen.
void play_small(clocked_server& server, const small_world& how, every_choice& choice) {
    std::map<std::string, int> tries;
    bridge_world world{server, 2, [&](const std::string& id) { return ++tries[id] == 1 ? how.first : fate::ok; }};
    std::array<int, 2> brought{};
    int faults = how.faults;
    auto collect_both = [&world] {
        world.collect(0);
        world.collect(1);
    };
    for (;;) {
        std::vector<std::function<void()>> ways;
        for (int who = 0; who < 2; ++who) {
            auto& steps = brought[static_cast<std::size_t>(who)];
            std::string request = who == 0 ? "A" : "B";
            if (steps == 0) {
                ways.emplace_back([&world, who, request, &steps] {
                    world.add_request(who, "c", request);
                    ++steps;
                });
            } else if (steps <= how.replies) {
                ways.emplace_back([&world, who, request, &steps] {
                    world.add_response(who, "c", request, request + std::to_string(steps));
                    ++steps;
                });
            }
            const auto& held = world.claims_of(who);
            if (!held.empty()) {
                bool sent = held.front().sent;
                ways.emplace_back([&world, who, sent] { sent ? world.complete(who, 0) : world.send(who, 0); });
                if (faults > 0) {
                    ways.emplace_back([&world, who, &faults] {
                        world.crash(who);
                        --faults;
                    });
                }
            }
            if (world.acknowledgements() > 0 && who == 0) {
                ways.emplace_back([&world] { world.acknowledge(1, 0); });
            }
        }
        if (ways.empty()) {
            break;
        }
        for (auto pause : {10'001, 30'001}) {
            if (faults > 0) {
                ways.emplace_back([&world, pause, &faults, &collect_both] {
                    world.advance(pause);
                    --faults;
                    collect_both();
                });
            }
        }
        ways[choice.pick(ways.size())]();
    }
    world.drain();
}

// Each schedule takes an hour or more of its server's time. After ten years there is another server: past 2039 scores
// do not hold the numbers of replies any more.
class server_before_2039 {
public:
    explicit server_before_2039(std::string flavour)
        : flavour_{std::move(flavour)}
        , server_{std::in_place, flavour_}
        , began_{server_->now()} {}

    clocked_server& next() {
        constexpr std::int64_t ten_years = 10LL * 365 * 24 * 3'600'000;
        if (server_->now() - began_ > ten_years) {
            server_.emplace(flavour_);
        }
        return *server_;
    }

private:
    std::string flavour_;
    std::optional<clocked_server> server_;
    std::int64_t began_;
};

class bridge_model : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(servers, bridge_model, testing::ValuesIn(server_flavours()));

TEST_P(bridge_model, whatever_happens_in_whatever_order_the_promises_hold) {
    server_before_2039 server{GetParam()};
    auto until = clock::now() +
                 std::chrono::duration<double>{seconds_from("LEAT_MODEL_SECONDS", GetParam() == "redis" ? 40 : 20)};
    auto seed = static_cast<std::uint32_t>(seconds_from("LEAT_MODEL_SEED", std::random_device{}()));
    int played = 0;
    for (; clock::now() < until; ++seed, ++played) {
        try {
            play(server.next(), seed, 250);
        } catch (const std::exception& broken) {
            FAIL() << "LEAT_MODEL_SEED=" << seed << ": " << broken.what();
        }
        if (std::getenv("LEAT_MODEL_SEED") != nullptr && std::getenv("LEAT_MODEL_SECONDS") == nullptr) {
            break;
        }
    }
    std::cout << played << " schedules of 250 steps\n";
}

// A world of its own for each test: all of them together take too long for one. With --all each has a fault more.
struct named_world {
    std::string name;
    small_world how;
};
void PrintTo(const named_world& given, std::ostream* out) { // NOLINT(readability-identifier-naming): GoogleTest's
    *out << given.name;
}
class small_bridge_model : public testing::TestWithParam<std::tuple<std::string, named_world>> {};

std::vector<named_world> small_worlds() {
    return {
        {"two_replies", {.replies = 2, .faults = 0, .first = fate::ok}},
        {"a_fault", {.replies = 1, .faults = 1, .first = fate::ok}},
        {"acknowledged_later", {.replies = 1, .faults = 0, .first = fate::async}},
        {"refused_for_now", {.replies = 1, .faults = 0, .first = fate::recoverable}},
        {"refused_for_ever", {.replies = 1, .faults = 0, .first = fate::fatal}}};
}

INSTANTIATE_TEST_SUITE_P(
    servers, small_bridge_model,
    testing::Combine(testing::ValuesIn(server_flavours()), testing::ValuesIn(small_worlds())),
    [](const auto& instance) { return std::get<0>(instance.param) + "_" + std::get<1>(instance.param).name; });

// Every schedule of two instances, two requests and their replies.
TEST_P(small_bridge_model, every_small_schedule_keeps_the_promises) {
    server_before_2039 server{std::get<0>(GetParam())};
    auto how = std::get<1>(GetParam()).how;
    if (const char* all = std::getenv("LEAT_TEST_ALL"); all != nullptr && *all != '\0') {
        ++how.faults;
    }
    every_choice choice;
    int schedules = 0;
    try {
        do {
            play_small(server.next(), how, choice);
            ++schedules;
        } while (choice.next());
    } catch (const std::exception& broken) {
        FAIL() << broken.what();
    }
    std::cout << schedules << " schedules\n";
}

} // namespace
} // namespace leat::tests
