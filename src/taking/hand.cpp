#include "taking/hand.hpp"

#include "store/settlement.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
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

std::size_t hand::held::sent() const {
    auto sum = store::is_large(message) ? 0 : message.size();
    if (decided && !store::pushes_only_itself(decided->pushes, message)) {
        for (const auto& each : decided->pushes) {
            sum += each.message.size();
        }
    }
    return sum;
}

hand::entry hand::add(std::string message, std::int64_t delivery, clock::time_point now) {
    bytes_ += message.size();
    all_.push_back({std::move(message), delivery, now, std::nullopt, false, false, next_age_++});
    return std::prev(all_.end());
}

void hand::decide(entry which, verdict how) {
    if (which->lost) {
        lost_.erase(which);
        return;
    }
    count(*which, -1);
    which->decided = std::move(how);
    count(*which, 1);
    decided_.push_back(which);
}

void hand::decide_otherwise(entry which, verdict how) {
    count(*which, -1);
    which->decided = std::move(how);
    count(*which, 1);
}

void hand::count(const held& each, std::ptrdiff_t by) {
    bytes_ += static_cast<std::size_t>(by) * each.size();
    bool goes_back = each.decided && each.decided->is == verdict::type::give_back;
    going_back_ += static_cast<std::size_t>(goes_back ? by : 0);
}

// Each message that is not among the oldest is searched for in the hand: Redis is held for a few milliseconds by so
// many steps.
constexpr std::size_t most_steps = 1'000'000;

hand::choice hand::choose(std::size_t most, std::size_t most_bytes, bool holds_back) const {
    choice made{decided_, true};
    auto older = [](entry left, entry right) { return left->age < right->age; };
    if (!std::ranges::is_sorted(made.which, older)) {
        std::ranges::sort(made.which, older);
    }
    auto goes_back = [](entry each) { return each->decided->is == verdict::type::give_back; };
    if (holds_back) {
        std::erase_if(made.which, goes_back);
    }
    std::size_t whole = 0;
    for (auto each : made.which) {
        whole += each->size();
    }
    bool fits = made.which.size() <= most && whole <= most_bytes;
    bool returns = !fits && std::ranges::any_of(made.which, goes_back);
    if (returns) { // alone, and the newest first: each portion comes before those that are back already
        std::erase_if(made.which, std::not_fn(goes_back));
        std::ranges::reverse(made.which);
    }
    auto all = made.which.size();
    if (made.which.size() > most) {
        made.which.resize(most);
    }
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < made.which.size(); ++i) {
        bytes += made.which[i]->size(); // Redis reads it all, whether it is sent or not
        if (i > 0 && bytes > most_bytes) {
            made.which.resize(i);
        }
    }
    made.more_goes_back = returns && made.which.size() < all;
    if (returns) {
        std::ranges::reverse(made.which);
    }
    auto next = all_.begin();
    for (auto each : made.which) {
        made.oldest = made.oldest && &*each == &*next;
        ++next;
    }
    if (!made.oldest && !returns && made.which.size() * all_.size() > most_steps) {
        made.which.resize(std::max<std::size_t>(1, most_steps / all_.size()));
    }
    if (!made.oldest) {
        made.middle = std::next(all_.begin(), static_cast<std::ptrdiff_t>(all_.size() / 2))->age;
    }
    if (std::ranges::any_of(made.which, [](entry each) { return store::is_large(each->message); })) {
        note_places(made);
    }
    return made;
}

void hand::note_places(choice& made) const {
    std::size_t at = 0;
    auto next = made.which.begin();
    for (auto each = all_.begin(); next != made.which.end() && each != all_.end(); ++each, ++at) {
        if (&*each == &**next) {
            made.places.push_back(at);
            ++next;
        }
    }
}

void hand::settled(const choice& chosen) {
    for (auto each : chosen.which) {
        each->settled = true;
    }
    std::erase_if(decided_, [](entry each) { return each->settled; });
    for (auto each : chosen.which) {
        count(*each, -1);
        all_.erase(each);
    }
}

std::vector<hand::seen> hand::reconcile(std::vector<seen> server) {
    std::unordered_multimap<std::string_view, std::size_t> texts;
    std::unordered_multimap<std::string_view, std::size_t> names;
    for (std::size_t i = server.size(); i-- > 0;) {
        auto& known = server[i].name.empty() ? texts : names;
        known.emplace(server[i].name.empty() ? server[i].message : server[i].name, i);
    }
    std::vector<bool> known(server.size());
    auto knows = [&known](auto& there, const std::string& as) {
        auto found = there.find(as);
        if (found == there.end()) {
            return false;
        }
        known[found->second] = true;
        there.erase(found);
        return true;
    };
    for (auto each = all_.begin(); each != all_.end();) {
        auto here = each++;
        bool by_name = !names.empty() && store::is_large(here->message);
        if (!(by_name && knows(names, store::name_of_large(here->message))) && !knows(texts, here->message)) {
            lose(here);
        }
    }
    std::vector<seen> unknown;
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

void hand::lose(entry which) {
    count(*which, -1);
    if (which->decided) {
        std::erase(decided_, which);
        all_.erase(which);
    } else {
        which->lost = true;
        lost_.splice(lost_.end(), all_, which);
    }
}

namespace {

store::settled_message::end end_of(verdict::type is) {
    using end = store::settled_message::end;
    switch (is) {
    case verdict::type::done:
        return end::done;
    case verdict::type::again:
        return end::retry;
    case verdict::type::dead:
        return end::bury;
    case verdict::type::give_back:
        return end::give_back;
    }
    std::abort();
}

} // namespace

bool is_given_up(const hand::held& one, std::int64_t max_deliveries) {
    auto how = one.decided->is;
    return how == verdict::type::dead || (how == verdict::type::again && one.delivery >= max_deliveries);
}

void write_verdicts(
    const hand::choice& chosen, const runtime::pauses& pauses, double chance, store::settle_call& call) {
    std::vector<store::settled_message> messages;
    messages.reserve(chosen.which.size());
    for (auto each : chosen.which) {
        const auto& how = *each->decided;
        store::settled_message made{
            .message = each->message,
            .how = end_of(how.is),
            .pushes = how.pushes,
            .reason = how.reason,
            .name = how.name,
            .delivery = each->delivery,
            .newer = each->age >= chosen.middle};
        if (how.is == verdict::type::again) {
            made.pause = runtime::pause_after(pauses, each->delivery, chance).count();
        }
        if (messages.size() < chosen.places.size()) {
            made.place = chosen.places[messages.size()];
        }
        messages.push_back(made);
    }
    store::write_settlement(messages, chosen.oldest, call);
}

std::string write_times(const hand::choice& chosen, hand::clock::time_point now, std::chrono::seconds allowed) {
    store::settled_times times;
    for (auto each : chosen.which) {
        if (each->decided->is == verdict::type::done) {
            auto took = now - each->taken;
            auto seconds = std::chrono::duration_cast<std::chrono::seconds>(took).count();
            times.sum += seconds;
            times.longest = std::max(times.longest, seconds);
            auto tenth = allowed.count() > 0 ? 10 * took / allowed : 0;
            ++times.tenths[static_cast<std::size_t>(std::clamp<std::int64_t>(tenth, 0, 10))];
        }
    }
    return store::to_text(times);
}

} // namespace leat::taking
