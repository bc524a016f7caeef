#pragma once

#include <algorithm>
#include <cstddef>

namespace leat::routing {

// How many commands may be unanswered at a time. Redis keeps each reply until it is read, so together they may have
// some bytes. How large a reply is nobody knows before it comes: it is expected to be as large as the largest seen
// lately. A single command is always sent, however large its reply. Pure.
class reply_budget {
public:
    explicit reply_budget(std::size_t most_bytes)
        : most_bytes_{most_bytes} {}

    bool admits() const { return unanswered_ == 0 || (unanswered_ + 1) * expected_ <= most_bytes_; }
    void sent() { ++unanswered_; }
    // However late: until then Redis may hold the reply.
    void answered(std::size_t bytes) {
        --unanswered_;
        expected_ = std::max({bytes, expected_ - expected_ / 8, least_expected});
    }
    void lost() { --unanswered_; } // with its connection, which tells nothing of its size

    // After any number of small replies large ones may come, all at once.
    static constexpr std::size_t least_expected = 512 << 10;

private:
    std::size_t most_bytes_;
    std::size_t unanswered_ = 0;
    std::size_t expected_ = 1 << 20; // before any is known
};

} // namespace leat::routing
