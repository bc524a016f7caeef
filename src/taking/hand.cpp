#include "taking/hand.hpp"

#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <unordered_map>

namespace leat::taking {

std::size_t hand::held::size() const {
    auto sum = message.size();
    if (decided) {
        for (const auto& each : decided->pushes) {
            sum += each.message.size();
        }
    }
    return sum;
}

hand::place hand::add(std::string message, std::int64_t delivery, clock::time_point now) {
    bytes_ += message.size();
    all_.push_back({std::move(message), delivery, now, std::nullopt, false, false, next_age_++});
    return std::prev(all_.end());
}

void hand::decide(place which, verdict how) {
    if (which->lost) {
        lost_.erase(which);
        return;
    }
    bytes_ -= which->size();
    which->decided = std::move(how);
    bytes_ += which->size();
    decided_.push_back(which);
}

hand::choice hand::choose(std::size_t most, std::size_t most_bytes) const {
    choice made{decided_, true};
    auto older = [](place left, place right) { return left->age < right->age; };
    if (!std::ranges::is_sorted(made.which, older)) {
        std::ranges::sort(made.which, older);
    }
    if (made.which.size() > most) {
        made.which.resize(most);
    }
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < made.which.size(); ++i) {
        bytes += made.which[i]->size();
        if (i > 0 && bytes > most_bytes) {
            made.which.resize(i);
        }
    }
    auto next = all_.begin();
    for (auto each : made.which) {
        made.oldest = made.oldest && &*each == &*next;
        ++next;
    }
    if (!made.oldest) {
        made.middle = std::next(all_.begin(), static_cast<std::ptrdiff_t>(all_.size() / 2))->age;
    }
    return made;
}

void hand::settled(const choice& chosen) {
    for (auto each : chosen.which) {
        each->settled = true;
    }
    std::erase_if(decided_, [](place each) { return each->settled; });
    for (auto each : chosen.which) {
        bytes_ -= each->size();
        all_.erase(each);
    }
}

std::vector<std::string> hand::reconcile(std::vector<std::string> server) {
    std::unordered_multimap<std::string_view, std::size_t> there;
    for (std::size_t i = server.size(); i-- > 0;) {
        there.emplace(server[i], i);
    }
    std::vector<bool> known(server.size());
    for (auto each = all_.begin(); each != all_.end();) {
        auto here = each++;
        auto found = there.find(here->message);
        if (found == there.end()) {
            lose(here);
        } else {
            known[found->second] = true;
            there.erase(found);
        }
    }
    std::vector<std::string> unknown;
    for (std::size_t i = 0; i < server.size(); ++i) {
        if (!known[i]) {
            unknown.push_back(std::move(server[i]));
        }
    }
    return unknown;
}

void hand::lose_all() {
    while (!all_.empty()) {
        lose(all_.begin());
    }
}

void hand::lose(place which) {
    bytes_ -= which->size();
    if (which->decided) {
        std::erase(decided_, which);
        all_.erase(which);
    } else {
        which->lost = true;
        lost_.splice(lost_.end(), all_, which);
    }
}

namespace {

// Puts the lists of all pushes into the call, each once, and tells their numbers.
class outs_writer {
public:
    explicit outs_writer(store::scripts::settle_call& call)
        : call_{call} {}

    void write(const std::vector<verdict::push>& pushes, const std::string& message) {
        if (pushes.size() == 1 && pushes.front().keep == 0 && pushes.front().message == message) {
            call_.words.push_back("=" + std::to_string(number_of(pushes.front())));
            return;
        }
        call_.words.push_back(std::to_string(pushes.size()));
        for (const auto& push : pushes) {
            call_.words.push_back(std::to_string(number_of(push)));
            call_.words.push_back(push.keep == 0 ? push.message : std::to_string(push.keep) + ":" + push.message);
        }
    }

private:
    std::size_t number_of(const verdict::push& push) {
        if (last_ != 0 && call_.outs[last_ - 1] == push.to) { // most go where the one before went
            return last_;
        }
        auto [found, is_new] = numbers_.try_emplace(push.to, call_.outs.size() + 1);
        if (is_new) {
            call_.outs.push_back(push.to);
            call_.named += push.keep != 0 ? 'k' : push.by_message ? 'm' : 's';
        }
        last_ = found->second;
        return last_;
    }

    store::scripts::settle_call& call_;
    std::unordered_map<std::string_view, std::size_t> numbers_; // of texts in the verdicts, which outlive it
    std::size_t last_ = 0;
};

} // namespace

void write_verdicts(
    const hand::choice& chosen, const runtime::pauses& pauses, double chance, store::scripts::settle_call& call) {
    call.oldest = chosen.oldest ? 1 : 0;
    for (auto each : chosen.which) {
        call.words.push_back(each->message);
        if (!chosen.oldest) {
            call.sides += each->age >= chosen.middle ? 'l' : 'r';
        }
    }
    outs_writer outs{call};
    for (auto each : chosen.which) {
        const auto& how = *each->decided;
        switch (how.is) {
        case verdict::type::done:
            call.verdicts += how.pushes.empty() ? 'd' : 'p';
            if (!how.pushes.empty()) {
                outs.write(how.pushes, each->message);
            }
            break;
        case verdict::type::again:
            call.verdicts += 'r';
            call.words.push_back(std::to_string(runtime::pause_after(pauses, each->delivery, chance).count()));
            call.words.push_back(how.reason);
            call.words.push_back(std::to_string(each->delivery));
            break;
        case verdict::type::dead:
            call.verdicts += 'b';
            outs.write(how.pushes, each->message);
            call.words.push_back(how.reason);
            call.words.push_back(std::to_string(each->delivery));
            call.words.push_back(how.name);
            break;
        case verdict::type::give_back:
            call.verdicts += 'g';
            break;
        }
    }
}

std::string write_times(const hand::choice& chosen, hand::clock::time_point now, std::chrono::seconds allowed) {
    std::int64_t sum = 0;
    std::int64_t longest = 0;
    std::array<std::int64_t, 11> tenths{};
    for (auto each : chosen.which) {
        if (each->decided->is == verdict::type::done) {
            auto took = now - each->taken;
            auto seconds = std::chrono::duration_cast<std::chrono::seconds>(took).count();
            sum += seconds;
            longest = std::max(longest, seconds);
            auto tenth = allowed.count() > 0 ? 10 * took / allowed : 0;
            ++tenths[static_cast<std::size_t>(std::clamp<std::int64_t>(tenth, 0, 10))];
        }
    }
    return fmt::format("{} {} {}", sum, longest, fmt::join(tenths, " "));
}

} // namespace leat::taking
