#include "cli/demo/script.hpp"

namespace leat::cli {

const std::vector<demo_step>& demo_script() {
    constexpr std::size_t anna = 0;
    constexpr std::size_t ben = 1;
    static const std::vector<demo_step> all{
        // A slow bot: the second answer is there before the first.
        {0.3, anna, "r1", "", "What is my balance?"},
        {0.9, anna, "r2", "", "Will it rain?"},
        {1.4, anna, "r2", "a2", "No."},
        {2.6, anna, "r1", "a1", "12 euros."},
        // Three at once, answered in the wrong order.
        {0.6, ben, "q1", "", "First?"},
        {0.7, ben, "q2", "", "Second?"},
        {0.8, ben, "q3", "", "Third?"},
        {1.6, ben, "q3", "b3", "Third."},
        {2.0, ben, "q2", "b2", "Second."},
        {2.4, ben, "q1", "b1", "First."},
        // Ben cannot be reached for a while; anna does not wait for him.
        {3.7, ben, "q4", "", "Are you there?"},
        {3.8, ben, "q5", "", "Hello?"},
        {4.0, ben, "q4", "b4", "Yes."},
        {4.2, anna, "r3", "", "And tomorrow?"},
        {4.6, anna, "r3", "a3", "Sun."},
        {4.8, ben, "q5", "b5", "Hello."},
        // An acknowledgement that comes late, then one that never comes.
        {5.2, anna, "r4", "", "My last bill?"},
        {5.4, anna, "r5", "", "And the one before?"},
        {5.6, anna, "r4", "a4", "30 euros."},
        {6.0, anna, "r5", "a5", "28 euros."},
        {7.0, anna, "r6", "", "Thank you."},
        {7.6, anna, "r6", "a6", "Any time."},
        // A bot that never answers.
        {6.4, ben, "q6", "", "What is love?"},
        {6.6, ben, "q7", "", "What is two and two?"},
        {7.2, ben, "q7", "b7", "Four."},
    };
    return all;
}

demo_manner manner_of(std::string_view reply) {
    return reply == "b4"   ? demo_manner::fails
           : reply == "a4" ? demo_manner::acks_late
           : reply == "a5" ? demo_manner::never_acks
                           : demo_manner::takes;
}

} // namespace leat::cli
