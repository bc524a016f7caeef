#include "bridge/memory_queue.hpp"

#include <algorithm>

namespace leat::bridge {

void memory_queue::expire_at(task_id id, entry& each, clock::time_point when) {
    expiries_.erase({each.expires, id});
    each.expires = when;
    expiries_.emplace(when, id);
}

void memory_queue::look_later(task_id id, entry& each, clock::time_point when) {
    looks_.erase({each.look_at, id});
    each.look_at = when;
    looks_.emplace(when, id);
}

void memory_queue::enqueue(task given, clock::time_point now) {
    auto key = message::to_text(given.ids);
    auto [known, is_new] = by_response_.try_emplace(key, last_id_ + 1);
    auto id = known->second;
    if (is_new) {
        ++last_id_;
        auto& each = all_[id];
        each.key = std::move(key);
        each.what = std::move(given);
        each.entered = now;
        each.look_at = now + each.what.waits;
        auto longest = each.what.time_in_queue.count() > 0 ? std::min(each.what.time_in_queue, rules_.longest())
                                                           : rules_.longest();
        expire_at(id, each, now + longest);
        auto& of = groups_[each.what.ids.conversation_id];
        of.tasks.push_back(id);
        if (!each.what.claim) {
            if (!of.selected) {
                unselected_.push_back(each.what.ids.conversation_id);
            }
            return;
        }
    } else if (!given.claim || all_.at(id).where == stage::running) {
        // A second claim of what is being sent is a newer lease: the first has been lost, its outcome will be fenced.
        return;
    } else {
        all_.at(id).what.claim = std::move(given.claim);
    }
    // Ours to send, and so the first of its conversation, whatever else is here of it. It counts from now on.
    auto& each = all_.at(id);
    expire_at(id, each, now + rules_.longest());
    auto& of = groups_[each.what.ids.conversation_id];
    if (of.tasks.front() != id) {
        if (of.selected &&
            all_.at(of.tasks.front()).where == stage::priority) { // over elsewhere, or it could not be ours
            auto before = of.tasks.front();
            looks_.erase({all_.at(before).look_at, before});
            all_.at(before).where = stage::main;
            all_.at(before).what.claim.reset();
            --selected_;
            of.selected = false;
        }
        std::erase(of.tasks, id);
        of.tasks.push_front(id);
    }
    looks_.erase({each.look_at, id});
    if (each.where == stage::main) {
        ++selected_;
    }
    each.where = stage::priority;
    of.selected = true;
    ready_.push_back(id);
}

void memory_queue::select_first(group& of) {
    auto id = of.tasks.front();
    auto& each = all_.at(id);
    of.selected = true;
    ++selected_;
    each.where = stage::priority;
    looks_.emplace(each.look_at, id);
}

void memory_queue::select() {
    while (!unselected_.empty() && room() > 0) {
        auto found = groups_.find(unselected_.front());
        unselected_.pop_front();
        if (found == groups_.end() || found->second.selected) {
            continue;
        }
        if (all_.at(found->second.tasks.front()).where == stage::main) { // else it is being let go: then the next is
            select_first(found->second);
        }
    }
}

std::vector<memory_queue::order> memory_queue::next(clock::time_point now) {
    std::vector<order> made;
    while (!expiries_.empty() && expiries_.begin()->first <= now) {
        auto id = expiries_.begin()->second;
        expiries_.erase(expiries_.begin());
        auto& each = all_.at(id);
        if (each.where == stage::running || each.where == stage::busy) {
            continue; // whoever is at work with it has a deadline of its own
        }
        looks_.erase({each.look_at, id});
        if (each.where == stage::main) {
            ++selected_; // it leaves from there
        }
        each.where = stage::busy;
        made.push_back({order_type::let_go, id});
    }
    select();
    while (!ready_.empty() && static_cast<std::int64_t>(running_) < rules_.concurrent) {
        auto id = ready_.front();
        ready_.pop_front();
        auto found = all_.find(id);
        if (found != all_.end() && found->second.where == stage::priority && found->second.what.claim) {
            found->second.where = stage::running;
            ++running_;
            made.push_back({order_type::send, id});
        }
    }
    while (!looks_.empty() && looks_.begin()->first <= now) {
        auto id = looks_.begin()->second;
        looks_.erase(looks_.begin());
        auto& each = all_.at(id);
        each.where = stage::busy;
        bool enough = each.validations >= rules_.max_retries;
        each.validations += enough ? 0 : 1;
        made.push_back({enough ? order_type::await : order_type::validate, id});
    }
    return made;
}

void memory_queue::blocked(task_id id, std::chrono::milliseconds waits, clock::time_point now) {
    auto known = all_.find(id);
    if (known == all_.end() || known->second.where != stage::busy) {
        return; // it was claimed meanwhile, or is over
    }
    auto& each = known->second;
    each.where = stage::priority;
    // What unblocks it is heard of, or comes at the time that Redis has told; the tick is for when nothing is heard.
    look_later(id, each, now + (signs_ ? std::max(waits, rules_.interval) : rules_.interval));
    if (!expiries_.contains({each.expires, id})) { // it passed while we asked
        expiries_.emplace(each.expires, id);
    }
}

void memory_queue::leave_group(task_id id, const entry& each) {
    auto found = groups_.find(each.what.ids.conversation_id);
    auto& of = found->second;
    bool was_first = of.tasks.front() == id;
    std::erase(of.tasks, id);
    if (of.tasks.empty()) {
        groups_.erase(found);
    } else if (was_first && each.where != stage::main) {
        of.selected = false;
        unselected_.push_back(found->first);
    }
}

void memory_queue::finished(task_id id, clock::time_point now) {
    auto known = all_.find(id);
    if (known == all_.end()) {
        return;
    }
    auto& each = known->second;
    running_ -= each.where == stage::running ? 1 : 0;
    selected_ -= each.where != stage::main ? 1 : 0;
    looks_.erase({each.look_at, id});
    expiries_.erase({each.expires, id});
    leave_group(id, each);
    by_response_.erase(each.key);
    all_.erase(known);
    if (all_.empty()) {
        emptied_at_ = now;
    }
}

void memory_queue::wake(const std::string& conversation) {
    auto found = groups_.find(conversation);
    if (found == groups_.end() || !found->second.selected) {
        return;
    }
    auto id = found->second.tasks.front();
    auto& each = all_.at(id);
    if (each.where == stage::priority && !each.what.claim) {
        look_later(id, each, {});
    }
}

std::int64_t memory_queue::room() const {
    return std::max<std::int64_t>(0, rules_.admitted() - static_cast<std::int64_t>(selected_));
}

std::optional<memory_queue::clock::time_point> memory_queue::next_look(clock::time_point now) const {
    std::optional<clock::time_point> earliest;
    for (const auto* each : {&looks_, &expiries_}) {
        if (!each->empty()) {
            earliest = earliest ? std::min(*earliest, each->begin()->first) : each->begin()->first;
        }
    }
    if (!earliest && active(now)) {
        earliest = emptied_at_ + rules_.check_interval;
    }
    return earliest;
}

bool memory_queue::active(clock::time_point now) const {
    return !all_.empty() || (emptied_at_ != clock::time_point{} && now - emptied_at_ < rules_.check_interval);
}

} // namespace leat::bridge
