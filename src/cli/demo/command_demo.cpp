#include "cli/demo/bridge.hpp"
#include "cli/demo/mpush.hpp"
#include "cli/program.hpp"

#include <sys/stat.h>

#include <csignal>

namespace leat::cli {
namespace {

constexpr int fast_seconds = 6;

void play(const std::string& name, const demo_words& words, program& shared) {
    std::signal(SIGPIPE, SIG_IGN); // who stops looking must not keep it from cleaning up
    ::umask(077);                  // its files are for this user alone
    shared.exit = name == "bridge" ? play_bridge_demo(words) : play_mpush_demo(words);
}

} // namespace

void add_demo(CLI::App& app, program& shared) {
    auto words = std::make_shared<demo_words>();
    auto name = std::make_shared<std::string>("mpush");
    auto fast = std::make_shared<bool>(false);
    auto* command = app.add_subcommand("demo", "See it survive: a private Redis, and what may go wrong on it");
    command->footer(
        "mpush: two replicas copy messages; one is killed, then Redis is restarted. Nothing is lost.\n"
        "bridge: two conversations with slow bots, failing clients and late acknowledgements. All stays in order.");
    command->add_option("NAME", *name, "What to show")
        ->check(CLI::IsMember({"mpush", "bridge"}))
        ->capture_default_str();
    command->add_option("--seconds", words->seconds, "How long to play")
        ->check(CLI::Range(2, 3600))
        ->capture_default_str();
    auto* rate = command->add_option("--rate", words->rate, "Messages a second, of mpush")
                     ->check(CLI::Range(1, 100000))
                     ->capture_default_str();
    command->add_flag("--fast", *fast, "As short as can be followed: --seconds 6");
    command->add_flag("--keep", words->keep, "Stay until Ctrl-C, to look inside with redis-cli");
    command->callback([&shared, words, name, fast, rate] {
        if (*fast) {
            words->seconds = fast_seconds;
        }
        if (*name == "bridge" && rate->count() > 0) {
            throw CLI::ValidationError{"--rate", "is for mpush"};
        }
        if (*name == "bridge" && words->seconds < fast_seconds) {
            throw CLI::ValidationError{"--seconds", "the bridge needs 6 at least"};
        }
        play(*name, *words, shared);
    });
}

} // namespace leat::cli
