// Redis makes the functions of a script again at each call, about 0.07 microseconds each: their number is part of what
// a call costs.
#include "embed_scripts/lua_shrink.hpp"
#include "store/scripts.hpp"

#include <gmock/gmock.h>

#include <filesystem>

namespace leat::tests {
namespace {

struct bound {
    const redis::script* script;
    int functions;
};

const std::vector<bound> bounds{
    {&store::add_metrics_script, 2},
    {&store::bridge_accept_script, 49},
    {&store::bridge_collect_script, 39},
    {&store::bridge_conclude_script, 48},
    {&store::bridge_edit_script, 46},
    {&store::bridge_look_script, 2},
    {&store::bury_script, 4},
    {&store::reserve_id_script, 2},
    {&store::take_answers_script, 6},
    {&store::compact_script, 2},
    {&store::complete_script, 15},
    {&store::deliver_script, 1},
    {&store::end_service_script, 1},
    {&store::filter_queue_script, 6},
    {&store::find_held_script, 3},
    {&store::find_message_script, 4},
    {&store::forward_script, 4},
    {&store::limit_rate_script, 1},
    {&store::list_metrics_script, 2},
    {&store::list_services_script, 2},
    {&store::list_takers_script, 1},
    {&store::look_at_queue_script, 3},
    {&store::open_lease_script, 2},
    {&store::peek_script, 1},
    {&store::delay_retries_script, 3},
    {&store::read_hand_script, 2},
    {&store::recover_script, 9},
    {&store::redrive_script, 2},
    {&store::register_service_script, 5},
    {&store::release_script, 4},
    {&store::renew_service_script, 3},
    {&store::retry_script, 10},
    {&store::retry_now_script, 3},
    {&store::return_pending_script, 3},
    {&store::settle_script, 23},
    {&store::show_message_script, 1},
    {&store::sweep_answers_script, 1},
    {&store::take_script, 10},
    {&store::time_out_script, 16},
    {&store::track_script, 5},
    {&store::transfer_script, 6},
    {&store::transfer_described_script, 7},
    {&store::transfer_tracked_script, 12},
    {&store::undo_retry_script, 2},
    {&store::write_once_script, 5}};

TEST(functions, of_each_script_are_no_more_than_they_were) {
    for (const auto& [script, functions] : bounds) {
        EXPECT_LE(embed_scripts::count_functions(std::string{script->text}), functions)
            << script->name << " makes more functions at each call than it did: is each needed?";
    }
}

TEST(functions, of_each_script_are_bounded) {
    std::vector<std::string> known;
    std::vector<std::string> there;
    for (const auto& each : bounds) {
        known.emplace_back(each.script->name);
    }
    for (const auto& each : std::filesystem::directory_iterator{LEAT_SCRIPTS}) {
        if (each.path().extension() == ".lua") {
            there.push_back(each.path().stem());
        }
    }
    EXPECT_THAT(known, testing::UnorderedElementsAreArray(there)) << "each script has a row above";
}

} // namespace
} // namespace leat::tests
