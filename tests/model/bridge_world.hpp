#pragma once

#include "store/keys.hpp"
#include "support/bridge_case.hpp"

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace leat::tests {

// Instances of a bridge, their clients and the clock, moved one step at a time over a real server; and beside it a
// small model of what must hold: which requests and responses there are, who may send, what each client has got. A step
// that breaks a promise throws, with what was done before.
//
//   I1 order, I2 exclusion, I3 conservation, I4 duplicates, I5 liveness, I6 groups, I7 references, I8 disjoint
//   collectors, I9 repetition, I11 clocks, I12 acknowledgements. I10, ids, is what the worlds are filled with.
class bridge_world {
public:
    enum class fate { ok, async, recoverable, fatal };
    using choose_outcome = std::function<fate(const std::string& response)>;

    bridge_world(clocked_server& server, int instances, choose_outcome client);

    // ---- what may happen
    void add_request(int instance, const std::string& conversation, const std::string& id, std::int64_t skew = 0);
    void add_response(
        int instance, const std::string& conversation, const std::string& request, const std::string& id,
        bool more = false);
    void send(int instance, std::size_t which);     // a claim that it holds: to the client
    void complete(int instance, std::size_t which); // what it has sent: to Redis
    void crash(int instance);                       // it forgets all it holds
    void collect(int instance, std::int64_t most = 15);
    // Of what clients want to say: they got it, or did not after all.
    void acknowledge(
        int instance, std::size_t which, bool forget = true, store::bridge_sending how = store::bridge_sending::sent);
    void cancel(int instance, const std::string& request);
    void advance(std::int64_t milliseconds); // while somebody serves
    // Nobody does; then so many messages and outcomes wait in the queues.
    void leave(std::int64_t milliseconds, int in = 0, int answers = 0);
    // An instance takes a message with a response, and stands still before it says so to Redis.
    void hold_back(int instance, const std::string& conversation, const std::string& request, const std::string& id);
    // Another takes over what it had in flight.
    void recover(int instance);
    // It goes on as if nothing had been.
    void wake(int instance);
    // What could not be tried because nobody was there is sent back.
    void redrive(int instance);
    void set_room(int instance, std::int64_t room) { instances_[static_cast<std::size_t>(instance)].room = room; }
    // How clients take everything from now on.
    void heal() { always_ = fate::ok; }
    void sicken() { always_ = fate::recoverable; }

    // ---- what is there to choose from
    struct holding {
        store::bridge_claim claim;
        std::int64_t claimed_at = 0;
        bool sent = false;
        fate how = fate::ok;
        std::string name; // asyncResponseId
    };
    const std::vector<holding>& claims_of(int instance) const {
        return instances_[static_cast<std::size_t>(instance)].claims;
    }
    std::size_t acknowledgements() const { return to_acknowledge_.size(); }
    std::vector<std::string> requests() const;
    std::string conversation_of(const std::string& request) const { return requests_.at(request).conversation; }
    std::size_t live() const { return live_.size(); }
    std::int64_t steps() const { return steps_; }
    std::int64_t delivered() const { return delivered_; }

    // Everything ends, within the time that is promised, each after a try at least, and nothing is left.
    void drain();
    // What Redis holds is what the model knows.
    void check_references();

private:
    struct request_state {
        std::string conversation;
        std::int64_t timestamp = 0;
        std::int64_t expires = 0;
        int replies = 0;
        bool cancelled = false;
    };
    struct response_state {
        std::string conversation;
        std::string request;
        std::int64_t timestamp = 0;
        int number = 0;
        int taken = 0;                  // how often the client took it
        std::set<std::int64_t> excuses; // tokens of sends whose outcome was lost, or taken back
        bool claimed = false;           // somebody had it to send
        std::int64_t ends = 0;          // its life
        std::int64_t token = 0;         // of the last claim of it
    };
    struct lease {
        std::int64_t token = 0;
        std::int64_t ends = 0;
        std::string response;
    };
    struct simulated {
        explicit simulated(clocked_server& server)
            : user{server} {}
        bridge_user user;
        std::int64_t room = 100;
        std::vector<holding> claims;
        std::vector<std::array<std::string, 3>> held_back; // conversation, request, response
        int takes_over = 0;                                // of its lease
    };
    struct name_to_say {
        std::string name;
        std::string response;
        std::int64_t token = 0; // under which it was sent
    };

    bridge_user& as(int instance);
    store::lease_token lease_of(int instance) const;
    void note(const std::string& what);
    void take_claims(int instance);
    void check_claim(const store::bridge_claim& claim);
    void read_events();
    void end(const std::string& response);
    void check_group_awaits(const message::min_message_info& failed);
    [[noreturn]] void fail(const std::string& why);
    void expect(bool holds, const std::string& why) {
        if (!holds) {
            fail(why);
        }
    }

    clocked_server& server_;
    client redis_;
    choose_outcome client_;
    std::deque<simulated> instances_;
    std::map<std::string, request_state> requests_;
    std::map<std::string, response_state> responses_; // all that were accepted
    std::set<std::string> live_;
    std::map<std::string, std::int64_t> delivered_at_;
    std::map<std::string, lease> leases_; // the valid one of each conversation
    std::map<std::string, std::int64_t> last_token_;
    std::vector<name_to_say> to_acknowledge_;
    std::set<std::string> cancelled_requests_;
    std::string last_event_ = "-";
    std::vector<std::string> story_;
    std::optional<fate> always_;
    std::vector<std::pair<std::int64_t, std::int64_t>> left_alone_; // from, to
    std::set<std::string> buried_;                                  // in the dead letters because of that
    std::int64_t steps_ = 0;
    std::int64_t names_ = 0;
    std::int64_t ended_ = 0;
    std::int64_t delivered_ = 0;
};

} // namespace leat::tests
