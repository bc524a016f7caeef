#include "model/bridge_world.hpp"

#include <algorithm>
#include <stdexcept>

namespace leat::tests {

using state = store::bridge_state;
using sending = store::bridge_sending;
using store::bridge_verb;

bridge_world::bridge_world(clocked_server& server, int instances, choose_outcome client)
    : server_{server}
    , redis_{server.connect()}
    , client_{std::move(client)} {
    redis_.call({"FLUSHALL"});
    for (int i = 0; i < instances; ++i) {
        instances_.emplace_back(server);
        instances_.back().user.setup.owner = "i" + std::to_string(i + 1);
        instances_.back().user.rules.events_max = 1'000'000;
        instances_.back().user.rules.keep_ttl =
            28'800'000; // longer than all are away; clocks past 2039 are another matter
        instances_.back().user.setup.dead = "dead";
        instances_.back().user.setup.source = "in";
        instances_.back().user.setup.answers = "answers";
    }
}

void bridge_world::fail(const std::string& why) {
    std::string text = why + "\nat " + std::to_string(server_.now()) + ", after:";
    auto first = story_.size() > 60 ? story_.size() - 60 : 0;
    for (std::size_t i = first; i < story_.size(); ++i) {
        text += "\n  " + story_[i];
    }
    std::ranges::replace(text, '\0', '0'); // ids may hold any byte; this one would end the text
    throw std::runtime_error{text};
}

void bridge_world::note(const std::string& what) {
    ++steps_;
    server_.keep_millisecond(10); // a step is a few calls, each a microsecond
    story_.push_back(std::to_string(server_.now() % 10'000'000) + " " + what);
}

bridge_user& bridge_world::as(int which) {
    auto& one = instances_[static_cast<std::size_t>(which)];
    one.user.room = std::max<std::int64_t>(0, one.room - static_cast<std::int64_t>(one.claims.size()));
    return one.user;
}

std::vector<std::string> bridge_world::requests() const {
    std::vector<std::string> found;
    for (const auto& [id, each] : requests_) {
        found.push_back(id);
    }
    return found;
}

// ---- what ended, as Redis tells it

void bridge_world::end(const std::string& response) {
    expect(live_.erase(response) == 1, "I3: " + response + " has ended twice, or never was");
    ++ended_;
}

void bridge_world::read_events() {
    auto page = redis_.call({"XRANGE", "bridge:queue:events", last_event_ == "-" ? "-" : "(" + last_event_, "+"});
    for (const auto& each : page.items) {
        last_event_ = each.items.at(0).text;
        auto words = each.items.at(1).texts(); // event, X, message, Y, ...
        auto info = message::read_min_message_info(words.at(3));
        expect(info.has_value(), "an event without a message");
        end(info->response_id);
        if (words.at(1) == "delivered" || words.at(1) == "no-ack") {
            ++delivered_;
            delivered_at_[info->response_id] = server_.now();
        }
        const auto& ended = responses_.at(info->response_id);
        bool expired = words.at(1) == "expired";
        bool unserved = expired && words.at(7) == "its life ended while no instance served";
        bool was_alone = std::ranges::any_of(left_alone_, [&ended](const auto& time) {
            return ended.ends + 1'000 >= time.first - 5'000 && ended.ends <= time.second;
        });
        expect(!unserved || was_alone, "I5: " + info->response_id + " was given up although somebody served");
        expect(!expired || unserved || ended.claimed, "I5: " + info->response_id + " has expired without a try");
        if (unserved) {
            buried_.insert(info->response_id);
        }
        if (words.at(1) == "cancelled") {
            cancelled_requests_.insert(info->request_id);
        }
    }
}

// ---- claims

void bridge_world::check_claim(const store::bridge_claim& claim) {
    auto found = responses_.find(claim.ids.response_id);
    expect(found != responses_.end(), "claimed what was never accepted: " + claim.ids.response_id);
    const auto& mine = found->second;
    expect(live_.contains(claim.ids.response_id), "claimed what has ended: " + claim.ids.response_id);
    expect(claim.ids.conversation_id == mine.conversation, "I10: the claim is of another conversation");
    expect(
        claim.timestamp == mine.timestamp && claim.number == mine.number,
        "the order of the claim is another's: " + std::to_string(claim.timestamp) + "." + std::to_string(claim.number) +
            ", not " + std::to_string(mine.timestamp) + "." + std::to_string(mine.number) + " of " +
            claim.ids.response_id);
    for (const auto& id : live_) {
        const auto& other = responses_.at(id);
        bool before = std::pair{other.timestamp, other.number} < std::pair{mine.timestamp, mine.number};
        expect(
            other.conversation != mine.conversation || !before,
            "I1: " + claim.ids.response_id + " is claimed, but " + id + " is before it");
    }
    for (const auto& [id, request] : requests_) {
        bool waits = request.conversation == mine.conversation && request.replies == 0 && !request.cancelled &&
                     request.timestamp < mine.timestamp && server_.now() <= request.expires;
        expect(!waits, "I1: " + claim.ids.response_id + " is claimed, but request " + id + " has no reply yet");
    }
    expect(!cancelled_requests_.contains(mine.request), "I6: " + claim.ids.response_id + " is of a cancelled group");
    auto& held = leases_[mine.conversation];
    expect(held.token == 0 || server_.now() > held.ends, "I2: two leases in " + mine.conversation);
    if (held.token != 0) { // it was lost: whoever has it may still have sent
        responses_.at(held.response).excuses.insert(held.token);
    }
    responses_.at(claim.ids.response_id).claimed = true;
    responses_.at(claim.ids.response_id).token = claim.token;
    expect(claim.token > last_token_[mine.conversation], "I2: tokens do not grow in " + mine.conversation);
    last_token_[mine.conversation] = claim.token;
    held = {claim.token, server_.now() + instances_[0].user.rules.pending_ttl, claim.ids.response_id};
}

void bridge_world::take_claims(int which) {
    read_events();
    auto& one = instances_[static_cast<std::size_t>(which)];
    for (auto& each : one.user.claims) {
        check_claim(each);
        one.claims.push_back({std::move(each), server_.now(), false, fate::ok, {}});
    }
    one.user.claims.clear();
}

// ---- steps

void bridge_world::add_request(int which, const std::string& conversation, const std::string& id, std::int64_t skew) {
    note("i" + std::to_string(which + 1) + " request " + id + " in " + conversation);
    store::bridge_request given{conversation, "o", id, std::max<std::int64_t>(1, server_.now() + skew)};
    auto answer = as(which).one(bridge_verb::accept, store::item_of(given));
    if (answer.state == state::registered) {
        expect(!requests_.contains(id) || server_.now() > requests_[id].expires, "registered twice: " + id);
        auto timestamp = std::stoll(answer.detail);
        for (const auto& [other, each] : requests_) {
            bool lives = each.conversation == conversation && other != id && each.replies == 0 && !each.cancelled &&
                         server_.now() <= each.expires;
            expect(!lives || each.timestamp < timestamp, "I11: the time of " + id + " is not after that of " + other);
        }
        requests_[id] = {conversation, timestamp, server_.now() + instances_[0].user.rules.message_ttl, 0, false};
        cancelled_requests_.erase(id);
    } else {
        expect(
            answer.state == state::existing,
            "I9: registering again answers " + std::string{store::to_string(answer.state)});
    }
    take_claims(which);
}

void bridge_world::add_response(
    int which, const std::string& conversation, const std::string& request, const std::string& id, bool more) {
    note("i" + std::to_string(which + 1) + " response " + id + " to " + request + (more ? " and more" : ""));
    store::bridge_response given{
        .ids = {request, id, conversation}, .origin = "o", .timestamp = 0, .task = "{}", .more = more};
    bool known = responses_.contains(id);
    auto& user = as(which);
    auto outcome = user.run(bridge_verb::accept, {store::item_of(given)});
    auto answer = outcome.answers.at(0);
    bool refused = answer.state == state::duplicate || answer.state == state::cancelled ||
                   answer.state == state::full || answer.state == state::group_too_large;
    if (refused) {
        expect(answer.state != state::duplicate || known, "I9: a new response is a duplicate: " + id);
        expect(
            answer.state != state::cancelled || cancelled_requests_.contains(request),
            "I6: told that it is cancelled, and it is not: " + request);
        user.claims.clear(); // of a duplicate: the claim that is held already
        take_claims(which);
        return;
    }
    expect(answer.state != state::error && answer.state != state::conflict, "refused: " + answer.detail);
    expect(!known || !live_.contains(id), "I9: accepted twice: " + id);
    bool forgotten =
        !delivered_at_.contains(id) || server_.now() - delivered_at_[id] >= instances_[0].user.rules.dedup_ttl;
    expect(forgotten, "I9: accepted again after it was delivered: " + id);
    auto point = answer.detail.find('.');
    auto timestamp = std::stoll(answer.detail.substr(0, point));
    auto& of = requests_[request];
    if (of.conversation.empty() || of.timestamp != timestamp) { // late: at the tail
        of = {conversation, timestamp, 0, 0, false};
        cancelled_requests_.erase(request);
    }
    ++of.replies;
    auto number = std::stoi(answer.detail.substr(point + 1));
    auto ends = server_.now() + instances_[0].user.rules.awaited_ttl;
    responses_[id] = {conversation, request, timestamp, number, 0, {}, false, ends, 0};
    live_.insert(id);
    buried_.erase(id); // whoever sent it again has brought it back
    take_claims(which);
}

void bridge_world::send(int which, std::size_t index) {
    auto& one = instances_[static_cast<std::size_t>(which)];
    auto& mine = one.claims.at(index);
    note("i" + std::to_string(which + 1) + " sends " + mine.claim.ids.response_id);
    const auto& id = mine.claim.ids.response_id;
    const auto& rules = one.user.rules;
    const auto& held = leases_[mine.claim.ids.conversation_id];
    bool valid = held.token == mine.claim.token && server_.now() <= held.ends;
    if (server_.now() - mine.claimed_at >= rules.pending_ttl - rules.margin) { // too late: it does not begin
        one.claims.erase(one.claims.begin() + static_cast<std::ptrdiff_t>(index));
        return;
    }
    // Within its deadline nobody else can have it: unless it was taken out by hand, it is its turn.
    expect(valid || !live_.contains(id), "I2: within its deadline, but the lease of " + id + " is another's");
    mine.sent = true;
    mine.how = always_ ? *always_ : client_(id);
    if (mine.how == fate::ok || mine.how == fate::async) {
        auto& whole = responses_.at(id);
        ++whole.taken;
        expect(
            whole.taken <= 1 + static_cast<int>(whole.excuses.size()),
            "I4: the client took " + id + " " + std::to_string(whole.taken) + " times, with " +
                std::to_string(whole.excuses.size()) + " excuses");
    }
    if (mine.how == fate::async) {
        mine.name = "n" + std::to_string(++names_);
        to_acknowledge_.push_back({mine.name, id, mine.claim.token});
    }
}

void bridge_world::complete(int which, std::size_t index) {
    auto& one = instances_[static_cast<std::size_t>(which)];
    auto mine = one.claims.at(index);
    one.claims.erase(one.claims.begin() + static_cast<std::ptrdiff_t>(index));
    static constexpr std::array<const char*, 4> names{"ok", "async", "recoverable", "fatal"};
    note(
        "i" + std::to_string(which + 1) + " completes " + mine.claim.ids.response_id + ": " +
        names[static_cast<std::size_t>(mine.how)]);
    auto conversation = mine.claim.ids.conversation_id;
    auto& held = leases_[conversation];
    bool valid = held.token == mine.claim.token && server_.now() <= held.ends;
    bool look = steps_ % 8 == 0; // at every key, which takes long
    auto before = valid || !look ? std::map<std::string, std::string>{} : instances_[0].user.keyspace();
    auto how = std::array{
        sending::sent, sending::sent_async, sending::recoverable, sending::fatal}[static_cast<std::size_t>(mine.how)];
    bool is_last = responses_.at(mine.claim.ids.response_id).token == mine.claim.token; // it was not sent again
    auto told = as(which).complete(mine.claim, how, mine.how == fate::async ? mine.name : "why");
    valid = valid || (is_last && told != state::fenced); // late, but its turn all the same
    if (valid && held.token == mine.claim.token) {
        held = {};
    }
    if (mine.how == fate::fatal && valid && live_.contains(mine.claim.ids.response_id)) {
        cancelled_requests_.insert(mine.claim.ids.request_id);
        requests_[mine.claim.ids.request_id].cancelled = true;
    }
    if (!valid) {
        expect(told == state::fenced, "I2: a stale outcome of " + mine.claim.ids.response_id + " is taken");
        if (look) {
            auto after = instances_[0].user.keyspace();
            expect(before == after, "I2: a stale outcome has changed something");
        }
        responses_.at(mine.claim.ids.response_id).excuses.insert(mine.claim.token);
    } else if (mine.how == fate::async && told == state::awaited) { // the client had taken it back before
        responses_.at(mine.claim.ids.response_id).excuses.insert(mine.claim.token);
    } else if (mine.how == fate::recoverable && told == state::awaited) {
        check_group_awaits(mine.claim.ids);
    }
    if (valid) {
        // Repeated, because its answer got lost, it changes nothing.
        take_claims(which);
        auto once = look ? instances_[0].user.keyspace() : std::map<std::string, std::string>{};
        auto repeated = as(which).complete(mine.claim, how, "why");
        expect(repeated == state::fenced, "I9: an outcome is taken twice");
        auto twice = look ? instances_[0].user.keyspace() : std::map<std::string, std::string>{};
        expect(once == twice, "I9: a repeated outcome has changed something");
    }
    take_claims(which);
}

void bridge_world::check_group_awaits(const message::min_message_info& failed) {
    std::set<std::string> dates;
    read_events();
    if (!live_.contains(failed.response_id)) {
        return; // it was its last try: what only waited because of it goes on
    }
    for (const auto& id : live_) {
        const auto& each = responses_.at(id);
        if (each.request == failed.request_id && each.conversation == failed.conversation_id) {
            auto fields = redis_.call({"HMGET", "bridge:queue:res:" + id, "status", "awaitedToDateTS"}).texts();
            expect(fields.at(0) == "AWAITED", "I6: " + id + " of a failed group is " + fields.at(0));
            dates.insert(fields.at(1));
        }
    }
    expect(dates.size() <= 1, "I6: the replies of a failed group have several dates");
}

void bridge_world::crash(int which) {
    note("i" + std::to_string(which + 1) + " crashes");
    auto& one = instances_[static_cast<std::size_t>(which)];
    for (const auto& each : one.claims) {
        if (each.sent) {
            responses_.at(each.claim.ids.response_id).excuses.insert(each.claim.token);
        }
    }
    one.claims.clear();
}

void bridge_world::collect(int which, std::int64_t most) {
    note("i" + std::to_string(which + 1) + " collects");
    as(which).collect(most);
    take_claims(which);
}

void bridge_world::acknowledge(int which, std::size_t index, bool forget, sending how) {
    auto said = to_acknowledge_.at(index);
    if (forget) {
        to_acknowledge_.erase(to_acknowledge_.begin() + static_cast<std::ptrdiff_t>(index));
    }
    note("i" + std::to_string(which + 1) + (how == sending::sent ? " acknowledges " : " takes back ") + said.response);
    auto told = as(which).acknowledge(said.name, how, "o");
    auto wanted = how == sending::sent          ? state::delivered
                  : how == sending::recoverable ? state::awaited
                                                : state::cancelled;
    if (told == state::awaited) {
        responses_.at(said.response).excuses.insert(said.token);
    }
    expect(
        told == wanted || told == state::early || told == state::late,
        "I12: an acknowledgement answers " + std::string{store::to_string(told)});
    take_claims(which);
}

void bridge_world::cancel(int which, const std::string& request) {
    note("i" + std::to_string(which + 1) + " cancels " + request);
    auto told = as(which).cancel(request);
    if (told == state::cancelled) {
        cancelled_requests_.insert(request);
        requests_[request].cancelled = true;
    }
    take_claims(which);
}

void bridge_world::advance(std::int64_t milliseconds) {
    note("+" + std::to_string(milliseconds) + " ms");
    instances_[0].user.serve(milliseconds);
}

void bridge_world::leave(std::int64_t milliseconds, int in, int answers) {
    note("nobody serves for " + std::to_string(milliseconds) + " ms");
    for (auto [list, count] : {std::pair{"in", in}, std::pair{"answers", answers}}) {
        for (int i = 0; i < count; ++i) {
            redis_.call({"LPUSH", list, "waiting"});
        }
    }
    auto from = server_.now();
    server_.advance(milliseconds);
    left_alone_.emplace_back(from, server_.now());
    as(0).collect(0);
    redis_.call({"DEL", "in", "answers"}); // what is brought next stands for it
    take_claims(0);
}

// ---- consumers that stand still

store::lease_token bridge_world::lease_of(int which) const {
    auto name = std::to_string(which);
    return {
        "lease:" + name, "token" + name + "-" + std::to_string(instances_[static_cast<std::size_t>(which)].takes_over)};
}

void bridge_world::hold_back(
    int which, const std::string& conversation, const std::string& request, const std::string& id) {
    note("i" + std::to_string(which + 1) + " takes response " + id + " and stands still");
    auto& one = instances_[static_cast<std::size_t>(which)];
    redis_.call({"HSET", lease_of(which).key, "token", lease_of(which).token});
    one.held_back.push_back({conversation, request, id});
}

void bridge_world::recover(int which) {
    auto& one = instances_[static_cast<std::size_t>(which)];
    auto other = which == 0 ? 1 : 0;
    redis_.call({"DEL", lease_of(which).key});
    for (const auto& [conversation, request, id] : one.held_back) {
        if (!live_.contains(id)) {
            add_response(other, conversation, request, id);
        }
    }
}

void bridge_world::wake(int which) {
    auto& one = instances_[static_cast<std::size_t>(which)];
    auto proof = lease_of(which);
    bool is_ours = redis_.call({"HGET", proof.key, "token"}).text == proof.token;
    for (const auto& [conversation, request, id] : std::exchange(one.held_back, {})) {
        note("i" + std::to_string(which + 1) + " goes on with " + id);
        one.user.leases = {proof};
        if (is_ours) {
            add_response(which, conversation, request, id);
        } else {
            auto before = instances_[0].user.keyspace();
            bool refused = false;
            try {
                store::bridge_response given{
                    .ids = {request, id, conversation}, .origin = "o", .timestamp = 0, .task = "{}", .more = false};
                as(which).one(bridge_verb::accept, store::item_of(given));
            } catch (const std::runtime_error&) {
                refused = true;
            }
            expect(refused, "I4: " + id + " is accepted from an instance whose lease is gone");
            expect(before == instances_[0].user.keyspace(), "I4: a refused call has changed something");
        }
        one.user.leases.clear();
    }
    redis_.call({"DEL", proof.key});
    ++one.takes_over;
}

void bridge_world::redrive(int which) {
    if (buried_.empty()) {
        return;
    }
    auto id = *buried_.begin();
    buried_.erase(buried_.begin());
    const auto& was = responses_.at(id);
    bool there = false;
    for (const auto& each : redis_.call({"LRANGE", "dead", "0", "-1"}).texts()) {
        there = there || each.find(id) != std::string::npos || id.find_first_of("\"\\\t\n") != std::string::npos ||
                id.find('\0') != std::string::npos;
    }
    expect(there, "I3: " + id + " was given up, and is not among the dead letters");
    delivered_at_.erase(id);
    auto copy = was;
    add_response(which, copy.conversation, copy.request, id);
    expect(live_.contains(id) || cancelled_requests_.contains(copy.request), "I3: " + id + " cannot be sent back");
}

// ---- the end

void bridge_world::check_references() {
    read_events();
    for (const auto& id : live_) {
        const auto& each = responses_.at(id);
        auto member = message::to_text({each.request, id, each.conversation});
        auto key = "bridge:queue:" + store::bridge_keys::escaped(each.conversation);
        bool listed = redis_.call({"ZSCORE", key, member}).is == answer::type::text;
        bool indexed = redis_.call({"ZSCORE", "bridge:queue:pendingMessages", member}).is == answer::type::text;
        bool gone = redis_.call({"EXISTS", "bridge:queue:res:" + id}).whole == 0;
        // One whose life has just ended is told of when somebody comes by.
        expect(indexed, "I7: " + id + " is not in pendingMessages");
        expect(listed || gone, "I7: " + id + " is not in its conversation");
    }
    expect(
        redis_.call({"ZCARD", "bridge:queue:pendingMessages"}).whole == static_cast<std::int64_t>(live_.size()),
        "I7: pendingMessages holds what is not there");
    auto counts = instances_[0].user.hash("bridge:queue:counts");
    std::int64_t told = 0;
    for (const auto* each : {"delivered", "noAck", "cancelled", "expired", "deleted"}) {
        told += counts.contains(each) ? std::stoll(counts[each]) : 0;
    }
    auto accepted = counts.contains("responses") ? std::stoll(counts["responses"]) : 0;
    expect(
        accepted == told + static_cast<std::int64_t>(live_.size()), "I3: " + std::to_string(accepted) + " accepted, " +
                                                                        std::to_string(told) + " ended, " +
                                                                        std::to_string(live_.size()) + " live");
}

void bridge_world::drain() {
    if (!always_) {
        heal();
    }
    for (auto& each : instances_) {
        each.room = 1000;
    }
    for (int i = 0; i < static_cast<int>(instances_.size()); ++i) {
        crash(i); // what they held is for whoever comes next
    }
    auto began = server_.now();
    // A lease, an unanswered request, an acknowledgement, the life of one that fails; and of those behind it, a try
    // each.
    auto longest = 1'800'000 + static_cast<std::int64_t>(live_.size()) * 100'000;
    while (!live_.empty()) {
        auto outcome = as(0).collect(1000);
        take_claims(0);
        while (!instances_[0].claims.empty()) {
            send(0, 0);
            if (!instances_[0].claims.empty() && instances_[0].claims.front().sent) {
                complete(0, 0);
            }
        }
        read_events();
        if (live_.empty()) {
            break;
        }
        outcome = as(0).collect(1000);
        take_claims(0);
        expect(outcome.due >= 0, "I5: " + std::to_string(live_.size()) + " live, and nothing is due ever");
        if (instances_[0].claims.empty()) {
            advance(std::max<std::int64_t>(1, outcome.due));
        }
        expect(server_.now() - began < longest, "I5: not over in time");
    }
    check_references();
    server_.advance(longest + instances_[0].user.rules.keep_ttl); // the longest life of any key
    as(0).collect(1000);
    auto left = redis_.call({"KEYS", "*"}).texts();
    std::erase(left, "bridge:queue:counts");
    std::erase(left, "bridge:queue:events");
    std::erase(left, "bridge:queue:state");
    std::erase(left, "dead");
    std::erase(left, "dead:story");
    std::erase_if(left, [](const auto& key) { return key.starts_with("lease:"); });
    expect(left.empty(), "I7: left behind: " + (left.empty() ? "" : left.front()));
}

} // namespace leat::tests
