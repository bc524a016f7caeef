#pragma once

#include "support/private_server.hpp"

#include <cstdint>

namespace leat::tests {

// A server whose clock stands still until the test moves it: expiries, TIME and scripts go by it.
class clocked_server {
public:
    explicit clocked_server(const std::string& flavour = "redis");
    clocked_server(const clocked_server&) = delete;
    clocked_server& operator=(const clocked_server&) = delete;
    ~clocked_server();

    void advance(std::int64_t milliseconds) { advance_micros(milliseconds * 1000); }
    void advance_micros(std::int64_t micros) { *micros_ = *micros_ + micros; }
    // To the next millisecond, when fewer than `micros` of this one are left: keys expire by milliseconds, so that
    // within the step that follows none does.
    void keep_millisecond(std::int64_t micros) {
        if (auto left = 1000 - *micros_ % 1000; left <= micros) {
            advance_micros(left);
        }
    }
    std::int64_t now() const { return *micros_ / 1000; } // milliseconds since 1970
    client connect() const { return server_->connect(); }
    std::string url() const { return server_->url(); }

private:
    temp_folder folder_;
    volatile std::int64_t* micros_ = nullptr; // shared with the server
    std::unique_ptr<private_server> server_;
};

} // namespace leat::tests
