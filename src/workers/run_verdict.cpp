#include "workers/run_verdict.hpp"

#include <algorithm>

namespace leat::workers {

using taking::verdict;

verdict verdict_of(const exec_settings& settings, command_end ended) {
    auto told = [&ended](std::string what) {
        return ended.last_words.empty() ? what : std::move(what) + ": " + ended.last_words;
    };
    if (ended.abandoned) {
        return verdict::give_back();
    }
    if (ended.too_much) {
        return verdict::dead(
            told("its output is larger than maxOutput, " + std::to_string(settings.max_output) + " bytes"));
    }
    if (ended.too_late) {
        return verdict::again(told("did not end within " + std::to_string(settings.timeout) + " s"));
    }
    if (ended.signal != 0) {
        return verdict::again(told("ended by signal " + std::to_string(ended.signal)));
    }
    if (ended.code == 0) {
        std::vector<verdict::push> pushes;
        if (settings.reply) {
            pushes.push_back({.to = *settings.reply, .message = std::move(ended.output)});
        }
        return verdict::done(std::move(pushes));
    }
    auto code = std::to_string(ended.code);
    bool never = std::ranges::find(settings.dead_codes, code) != settings.dead_codes.end();
    auto reason = told("exit code " + code);
    return never ? verdict::dead(std::move(reason)) : verdict::again(std::move(reason));
}

} // namespace leat::workers
