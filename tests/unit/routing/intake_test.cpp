#include "routing/intake.hpp"
#include "routing/processor.hpp"

#include <gmock/gmock.h>

namespace leat::routing {
namespace {

using namespace std::chrono_literals;
using taking::verdict;

// Keeps what waits, and marks what it lets pass.
class marks final : public processor {
public:
    marks()
        : processor{"marks"} {}
    step forward(passage& on) override {
        lease = on.meta.lease;
        return step::pass;
    }
    void back(passage& on, std::int64_t /*note*/) override {
        on.writes.push_back({.to = "mark", .text = "done", .keep = 60});
        on.writes.push_back({.to = "mark", .text = "begun", .if_it_is = write::when::failed, .keep = -1});
        on.writes.push_back({.to = "list", .text = "pushed", .if_it_is = write::when::always});
    }
    std::shared_ptr<const taking::lease_proof> lease;
};

class silent final : public processor {
public:
    silent()
        : processor{"silent"} {}
    step forward(passage& /*on*/) override { return step::wait; }
};

class listening final : public taking::ticket_owner {
public:
    void decided(taking::hand::entry /*which*/, verdict how) override { told.push_back(std::move(how)); }
    std::vector<verdict> told;
};

TEST(intake, what_is_given_back_takes_its_marks_along_and_nothing_else) {
    engine passages;
    marks first;
    silent then;
    intake sends{
        "Importer.one",
        1000ms,
        false,
        passages,
        {&first, &then},
        [](const std::string&, passage&) { return verdict::done(); },
        {}};
    listening loop;
    taking::hand held;
    auto place = held.add("m", 1, {});
    auto lease = std::make_shared<taking::lease_proof>("in:pending:1:lease", "secret");
    EXPECT_FALSE(sends.work().decide({place->message, 1, lease}, taking::ticket{loop, place}));
    EXPECT_EQ(first.lease, lease);
    sends.work().abandon();
    ASSERT_EQ(loop.told.size(), 1U);
    EXPECT_EQ(loop.told[0].is, verdict::type::give_back);
    ASSERT_EQ(loop.told[0].pushes.size(), 1U);
    EXPECT_EQ(loop.told[0].pushes[0].to, "mark");
    EXPECT_EQ(loop.told[0].pushes[0].message, "begun");
    EXPECT_EQ(loop.told[0].pushes[0].keep, -1);
}

} // namespace
} // namespace leat::routing
