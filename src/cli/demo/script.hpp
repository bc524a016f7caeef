#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace leat::cli {

// What happens in the demo of the bridge, at seconds of its twelve.
struct demo_step {
    double at = 0;
    std::size_t lane = 0;
    std::string_view request;
    std::string_view reply; // empty: it is asked now
    std::string_view text;
};
const std::vector<demo_step>& demo_script();

// How a client takes a reply.
enum class demo_manner {
    takes,     // at once
    fails,     // the first time
    acks_late, // takes it, and acknowledges it after a while
    never_acks,
};
demo_manner manner_of(std::string_view reply);

// The bridge's times in the demo, in seconds of its twelve.
namespace demo_times {
inline constexpr double request = 4.0; // messageTtl
inline constexpr double ack = 2.0;     // sentMessageTtl
inline constexpr double pause = 1.5;   // before the first retry
inline constexpr double late_ack = 1.4;
inline constexpr double travel = 0.25; // to a client
inline constexpr double all = 12.0;
} // namespace demo_times

} // namespace leat::cli
