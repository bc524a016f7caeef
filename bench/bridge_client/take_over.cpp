#include "connection.hpp"
#include "ids.hpp"
#include "instance.hpp"
#include "ledger.hpp"

#include <unistd.h>

#include <algorithm>
#include <unordered_map>

namespace leat::bench {

using boost::asio::awaitable;
using bridge::send_outcome;
using namespace std::chrono_literals;

namespace {

// When each lease of another ends, by the key of its conversation.
std::unordered_map<std::string, double> read_leases(int port) {
    connection server{port};
    std::unordered_map<std::string, double> found;
    std::string at = "0";
    do {
        auto some = server.call({"SCAN", at, "MATCH", std::string{prefix} + "*:lock", "COUNT", "10000"});
        at = some->element[0]->str;
        const auto* keys = some->element[1];
        for (std::size_t i = 0; i < keys->elements; ++i) {
            server.send({"PEXPIRETIME", keys->element[i]->str});
        }
        for (std::size_t i = 0; i < keys->elements; ++i) {
            std::string key = keys->element[i]->str;
            found[key.substr(0, key.size() - 5)] = static_cast<double>(server.receive()->integer);
        }
    } while (at != "0");
    return found;
}

// Takes over what another has claimed, who died.
class successor {
public:
    explicit successor(const words& given)
        : given_{given}
        , leases_{read_leases(given.port)}
        , inside_{given, tasks()} {}

    void run() {
        bool at_once = given_.wait == 0; // it is there when the other dies
        inside_.run([this, at_once] { return measure(at_once); }, at_once);
    }

private:
    bridge::memory_queue_manager::tasks tasks() {
        bridge::memory_queue_manager::tasks made;
        made.execute = [this](store::bridge_claim what, clock::time_point) { return send(std::move(what)); };
        return made;
    }

    awaitable<send_outcome> send(store::bridge_claim what) {
        auto lease = leases_.find(prefix + what.ids.conversation_id);
        if (what.attempt != 2 || lease == leases_.end()) {
            give_up("something else came, or the same again");
        }
        late_.push_back(instance::wall() - lease->second);
        leases_.erase(lease);
        send_outcome made;
        co_return made;
    }

    awaitable<void> measure(bool at_once) {
        auto all = leases_.size();
        if (!at_once) {
            co_await inside_.rest(std::chrono::milliseconds{given_.wait});
        }
        await_go();
        auto began = clock::now();
        if (!at_once) {
            inside_.start();
        }
        while ((!leases_.empty() || inside_.manager().queue().size() > 0) && clock::now() < began + 60s) {
            co_await inside_.rest(500us);
        }
        auto seconds = std::chrono::duration<double>{clock::now() - began}.count();
        tell(
            "\"ok\": " + std::string{leases_.empty() && all > 0 ? "true" : "false"} + ", \"messages\": " +
            std::to_string(late_.size()) + ", \"seconds\": " + std::to_string(seconds) + ", " + percentiles(late_));
        ::pause();
    }

    words given_;
    std::unordered_map<std::string, double> leases_;
    std::vector<double> late_;
    instance inside_;
};

} // namespace

void measure_take_over(const words& given) {
    successor{given}.run();
}

} // namespace leat::bench
