#include "connection.hpp"
#include "ids.hpp"
#include "ledger.hpp"

#include <unistd.h>

#include <deque>

namespace leat::bench {

namespace {

constexpr int batch = 100;
constexpr std::size_t depth = 2; // calls on the way
// What bench/bridge/node/awaited.js does with each message, the reply when it is given and the removal behind it; ARGV:
// for each message conversation, request, the response's id, body, and whether it is the first of its request, and the
// last.
constexpr const char* text = R"(local prefix, now = 'doc:', 0
local time = redis.call('TIME')
now = time[1] * 1000 + math.floor(time[2] / 1000)
local sent = {}
for i = 1, #ARGV, 6 do
    local conversation, request, response, body, first, last = unpack(ARGV, i, i + 5)
    local key, list, of_request, hash = prefix .. conversation, prefix .. conversation .. ':req', prefix .. 'req:' .. request, prefix .. 'res:' .. response
    local member = '{"rqId":"' .. request .. '","rsId":"' .. response .. '","cnId":"' .. conversation .. '"}'
    if first == '1' then
        redis.call('HSET', of_request, 'conversationId', conversation, 'origin', 'bench', 'requestId', request, 'requestTimestamp', now, 'status', 'WAITING')
        redis.call('PEXPIRE', of_request, 10000)
        redis.call('RPUSH', list, of_request)
        redis.call('PEXPIRE', list, 10000)
    end
    redis.call('HSET', hash, 'conversationId', conversation, 'origin', 'bench', 'requestId', request, 'responseId', response, 'requestTimestamp', now,
        'responseTimestamp', now, 'status', 'PENDING', 'taskItem', body)
    redis.call('ZADD', key, now, member)
    redis.call('ZADD', prefix .. 'pendingMessages', now + 30000, member)
    if redis.call('ZRANGE', key, 0, 0)[1] == member then
        sent[#sent + 1] = body
        redis.call('DEL', hash)
        redis.call('ZREM', key, member)
        redis.call('ZREM', prefix .. 'pendingMessages', member)
        if last == '1' then
            redis.call('LPOP', list)
            redis.call('DEL', of_request)
        end
    end
end
return sent)";

class loop {
public:
    explicit loop(const words& given)
        : given_{given}
        , seen_{given}
        , conversations_{uuids(given.conversations)}
        , server_{given.port} {
        auto loaded = server_.call({"SCRIPT", "LOAD", text});
        if (loaded->type == REDIS_REPLY_ERROR) {
            throw std::runtime_error{loaded->str};
        }
        sha_ = loaded->str;
    }

    double give(std::chrono::milliseconds length) {
        auto began = clock::now();
        auto end = began + length;
        std::size_t open = 0;
        while (clock::now() < end || open > 0) {
            for (; open < depth && clock::now() < end; ++open) {
                send();
            }
            auto sent = server_.receive();
            if (sent->type == REDIS_REPLY_ERROR) {
                throw std::runtime_error{sent->str};
            }
            --open;
            for (std::size_t i = 0; i < sent->elements; ++i) {
                seen_.arrived(number_of({sent->element[i]->str, sent->element[i]->len}));
            }
        }
        return std::chrono::duration<double>{clock::now() - began}.count();
    }

    ledger& seen() { return seen_; }

private:
    void send() {
        std::vector<std::string> call{"EVALSHA", sha_, "0"};
        for (int i = 0; i < batch / given_.replies; ++i) {
            auto request = seen_.next_request();
            auto id = uuid();
            for (int reply = 0; reply < given_.replies; ++reply) {
                auto message = seen_.first_message(request) + static_cast<std::size_t>(reply);
                seen_.came(message, clock::now());
                call.insert(
                    call.end(), {conversations_[seen_.conversation_of(request)], id, uuid(), body(message, given_.size),
                                 reply == 0 ? "1" : "0", reply + 1 == given_.replies ? "1" : "0"});
            }
        }
        server_.send(call);
    }

    words given_;
    ledger seen_;
    std::vector<std::string> conversations_;
    connection server_;
    std::string sha_;
};

} // namespace

void measure_limit(const words& given) {
    loop gives{given};
    gives.give(std::chrono::milliseconds{given.warm});
    auto before = gives.seen().total_arrived();
    gives.seen().clear();
    await_go();
    auto seconds = gives.give(std::chrono::milliseconds{given.time});
    auto& seen = gives.seen();
    tell(
        "\"messages\": " + std::to_string(seen.total_arrived() - before) + ", \"seconds\": " + std::to_string(seconds) +
        ", \"ok\": " + (seen.ok() ? "true" : "false") + ", " + percentiles(seen.times()));
    ::pause();
}

} // namespace leat::bench
