#include "store/id_mark.hpp"

#include <gmock/gmock.h>

namespace leat::store {
namespace {

TEST(id_mark, names_who_is_at_work_and_the_lease_last) {
    lease_token lease{.key = "in:pending:1:lease of mine", .token = "secret"};
    EXPECT_EQ(begun_mark("me-7", &lease), "begun me-7 secret in:pending:1:lease of mine");
    EXPECT_EQ(begun_mark("me-7", nullptr), "begun me-7");
}

} // namespace
} // namespace leat::store
