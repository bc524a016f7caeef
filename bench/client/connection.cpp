#include "connection.hpp"

namespace leat::bench {

connection::connection(int port)
    : context_{redisConnect("127.0.0.1", port)} {
    if (!context_ || context_->err != 0) {
        throw std::runtime_error{"cannot connect"};
    }
}

void connection::send(const std::vector<std::string>& words) {
    std::vector<const char*> starts;
    std::vector<std::size_t> sizes;
    starts.reserve(words.size());
    sizes.reserve(words.size());
    for (const auto& word : words) {
        starts.push_back(word.data());
        sizes.push_back(word.size());
    }
    redisAppendCommandArgv(context_.get(), static_cast<int>(words.size()), starts.data(), sizes.data());
}

answer connection::receive() {
    void* found = nullptr;
    if (redisGetReply(context_.get(), &found) != REDIS_OK) {
        throw std::runtime_error{std::string{"connection lost: "} + context_->errstr};
    }
    answer made{static_cast<redisReply*>(found)};
    if (made->type == REDIS_REPLY_ERROR) {
        throw std::runtime_error{made->str};
    }
    return made;
}

} // namespace leat::bench
