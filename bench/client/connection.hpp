#pragma once

#include <hiredis/hiredis.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace leat::bench {

struct free_reply {
    void operator()(redisReply* given) const { freeReplyObject(given); }
};
using answer = std::unique_ptr<redisReply, free_reply>;

// A blocking connection, as plain as it can be. Throws when anything goes wrong.
class connection {
public:
    explicit connection(int port);

    void send(const std::vector<std::string>& words); // into the buffer; receive() flushes it
    answer receive();
    answer call(const std::vector<std::string>& words) {
        send(words);
        return receive();
    }

private:
    struct close {
        void operator()(redisContext* given) const { redisFree(given); }
    };
    std::unique_ptr<redisContext, close> context_;
};

} // namespace leat::bench
