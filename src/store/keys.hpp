#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace leat::store {

// Every key that leat makes, on one page, with its Redis type. Queues are not here: users name them.

// What stands beside a queue when no setting names it.
inline std::string pending_beside(const std::string& queue) {
    return queue + ":pending";
}
inline std::string dead_beside(const std::string& queue) {
    return queue + ":dead";
}
inline std::string error_beside(const std::string& queue) {
    return queue + ":error";
}
inline std::string answers_beside(const std::string& queue) {
    return queue + ":answers";
}
// What the names of lists for answers to one asker begin with.
inline std::string replies_beside(const std::string& queue) {
    return queue + ":reply:";
}

// What the names of a namespace's metrics begin with.
inline std::string metrics_below(const std::string& name_space) {
    return name_space + ":metrics:";
}

// The services of a namespace.
class service_keys {
public:
    explicit service_keys(std::string name_space)
        : name_space_{std::move(name_space)}
        , prefix_{name_space_ + ":service:"} {}

    // set: every namespace that a service was ever registered in.
    static std::string namespaces() { return "leat:namespaces"; }
    const std::string& name_space() const { return name_space_; }
    const std::string& prefix() const { return prefix_; }
    std::string counter() const { return prefix_ + "id"; } // string: the last id that was given
    std::string ids() const { return prefix_ + "ids"; }    // list: ids, newest at the left
    // string: how many ids from the right were found alive, while very many are looked at; expires after a day.
    std::string ids_seen() const { return prefix_ + "ids:seen"; }
    // hash: host, pid, started, and renewed from the first heartbeat on; expires after serviceExpire.
    std::string service(std::int64_t id) const { return prefix_ + std::to_string(id); }
    // hash: kind, name, version, queues; what leat adds, with the same expiry.
    std::string info(std::int64_t id) const { return service(id) + ":info"; }
    std::string starts() const { return metrics_below(name_space_) + "start"; } // hash: the metric of these

private:
    std::string name_space_;
    std::string prefix_;
};

// The tracked messages of a namespace.
class message_keys {
public:
    explicit message_keys(const std::string& name_space)
        : prefix_{name_space + ":message:"}
        , metrics_{metrics_below(name_space)} {}

    // hash: timestamp, xid, deadline, service; with retry also attempts, times, and retry while it waits for one. Below
    // it `:body` (string: the message, with retry) and `:done` (set: outs that have reported, with await: all).
    const std::string& prefix() const { return prefix_; }
    std::string counter() const { return prefix_ + "id"; }          // string: the last id that was given
    std::string tracked() const { return prefix_ + "tracked"; }     // string: how many messages are tracked now
    std::string ids() const { return prefix_ + "ids"; }             // list: ids, newest at the left
    std::string ids_kept() const { return prefix_ + "ids:kept"; }   // list: what a compaction of ids has found alive
    std::string ids_seen() const { return prefix_ + "ids:seen"; }   // string: how far it is
    std::string deadlines() const { return prefix_ + "deadlines"; } // sorted set: id, or first-last, by deadline in ms
    std::string retries() const { return prefix_ + "retries"; }     // sorted set: id by when it is delivered again
    std::string message(const std::string& id) const { return prefix_ + id; }
    std::string done() const { return prefix_ + "done"; } // list: reports of workers, when not named otherwise
    std::string dead() const { return prefix_ + "dead"; } // list: given up, when not named otherwise
    // xid:<xid>: hash of id and type. plan:<service>: string, JSON of what retry.lua and complete.lua go by.
    // ended:<n>: string, two bits per id; ended: set of these. mould:<name>: only inside a script.

    // hash each: count; of times sum, max, histo0, histo10 ... histo100, and in milliseconds unit and ms1, ms2 ...;
    // last.
    // `<name>` is the total, `<name>@<service>/<queue>` what one service has counted for a queue.
    const std::string& metrics() const { return metrics_; }
    std::string metric(const std::string& name) const { return metrics_ + name; }
    // set: JSON, [name], [name, service, queue], or, of a hash that others count in, [name, service, queue, hash].
    std::string metrics_index() const { return metrics_ + "names"; }
    // string: the last call of a process that writes what it has counted; expires after a day.
    std::string metrics_writer(const std::string& writer) const { return metrics_ + "writer:" + writer; }

private:
    std::string prefix_;
    std::string metrics_;
};

// What is taken from a queue and not settled yet. All beside the queue, with its hash tag when `pending` has it.
class taking_keys {
public:
    explicit taking_keys(std::string pending)
        : pending_{std::move(pending)} {}

    const std::string& pending() const { return pending_; }
    std::string counter() const { return pending_ + ":id"; }    // string: the last id of a taker
    std::string owners() const { return pending_ + ":owners"; } // sorted set: takers by the end of their leases, in ms
    // list: what a taker has in hand, newest at the left.
    std::string hand(std::int64_t id) const { return hand(std::to_string(id)); }
    std::string hand(const std::string& id) const { return below() + id; }
    // What the names of all but `pending` itself begin with.
    std::string below() const { return pending_ + ":"; }
    // hash: token (`leaving` instead while it gives back what it has), call, last, host, pid, name, process, source,
    // opened.
    std::string lease(std::int64_t id) const { return hand(id) + ":lease"; }
    // sorted set: <taker>-<call>-<index>:<message> by when it is delivered again, in ms.
    std::string delayed() const { return pending_ + ":delayed"; }
    std::string deliveries() const { return pending_ + ":deliveries"; } // hash: by SHA1, JSON of deliveries in vain
    std::string suspects() const { return pending_ + ":suspects"; }     // set: SHA1 of what was in dying hands

private:
    std::string pending_;
};

// Where workers answer. All beside each other, with the hash tag that the name begins with.
class answer_keys {
public:
    explicit answer_keys(std::string answers)
        : answers_{std::move(answers)} {}

    std::string prefix() const { return answers_ + ":"; }
    std::string list(const std::string& instance) const { return prefix() + instance; } // list: for one instance
    // list: what was handed over to it, until it is known to have arrived.
    std::string given(const std::string& instance) const { return list(instance) + ":given"; }
    // sorted set: instances by when they were last heard of, in ms; those that have stopped, too, for a day: workers
    // may still answer them.
    std::string instances() const { return prefix() + "instances"; }

private:
    std::string answers_;
};

// A bridge, all below one prefix. Ids stand in keys as they are, but for conversations whose names could be taken for
// another key: those are escaped, here and in lua/include/bridge_keys.lua alike.
class bridge_keys {
public:
    explicit bridge_keys(std::string prefix)
        : prefix_{std::move(prefix)} {}

    // hash: conversationId, origin, requestId, requestTimestamp, status, responseIdCounter, expiresAtTS; ours:
    // r:<response> (its number, of each reply that ever came), moreTo, sent, late. Expires after MESSAGE_TTL, with a
    // reply keepTtl, closed after dedupTtl.
    std::string request(const std::string& id) const { return prefix_ + "req:" + id; }
    // hash: conversationId, origin, requestId, responseId, requestTimestamp, responseTimestamp, status, expiresAtTS,
    // awaitedToDateTS, awaitedRetries, taskItem, sentAttempt, lastAccess, asyncResponseId; ours: awaitedTo (ms),
    // awaitedFor, tries, reason, more, lifeTS, fence. Leat ends it by expiresAtTS; the key expires after keepTtl, when
    // sent after SENT_MESSAGE_TTL.
    std::string response(const std::string& id) const { return prefix_ + "res:" + id; }
    // string: MinMessageInfo of what was sent under this name; or ACK:ORIGIN, when the acknowledgement was first.
    std::string name(const std::string& given) const { return prefix_ + "asyncRequest:" + given; }
    // sorted set: MinMessageInfo of every response by when it is looked at again, in seconds.
    std::string pending() const { return prefix_ + "pendingMessages"; }
    std::string counts() const { return prefix_ + "counts"; } // hash: what was counted
    std::string events() const { return prefix_ + "events"; } // stream: how responses ended
    // hash: fence, the last that was given; served, downFrom, downTo, leftIn, leftAnswers, drainTo: whether somebody
    // serves, and how far what waited is dealt with (lua/include/bridge_service.lua); behind:<origin>, when its gateway
    // was last seen to be behind (lua/include/bridge_behind.lua).
    std::string state() const { return prefix_ + "state"; }
    // A conversation as it stands in keys: escaped when it could be taken for something else.
    static std::string escaped(std::string_view conversation);
    // list: what goes to the gateway of an origin, below the list `out` of the settings.
    static std::string origin_list(const std::string& out, const std::string& origin) {
        return origin_lists(out) + origin;
    }
    static std::string origin_lists(const std::string& out) { return out + ":"; }
    // <conversation>: sorted set of MinMessageInfo by requestTimestamp + number / 4096. <conversation>:req: list of
    // keys of requests, oldest first. <conversation>:lock: string, JSON: who sends the first response now; expires with
    // the lease.

private:
    std::string prefix_;
};

// string: what belongs to no message was written; expires when nobody asks for it again.
inline std::string written_key(const std::string& name) {
    return "leat:written:" + name;
}

// Keys that settings name: of a shared RateLimitFilter, a string that counts a window, or a hash of tokens and seen; of
// a DedupeFilter, <prefix><id>, a string: done, or who is at work with it: begun, a name, and of the lease that it was
// taken under the token and the key.

// Whether a list of this name, `<prefix>:<name>`, would be one of the keys that leat has beside some queue `<queue>`:
// in flight, delayed, given up, answers.
inline bool is_beside_a_queue(std::string_view name) {
    for (std::string_view part : {":pending", ":dead", ":reply", ":done"}) {
        for (auto at = name.find(part); at != std::string_view::npos; at = name.find(part, at + 1)) {
            auto end = at + part.size();
            if (end == name.size() || name[end] == ':') {
                return true;
            }
        }
    }
    return false;
}

// hash beside a list of the dead: by SHA1 of the message, JSON of what is known of it.
inline std::string story_of(const std::string& dead) {
    return dead + ":story";
}

} // namespace leat::store
