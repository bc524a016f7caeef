#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace leat::tests {

// One answer of a server, as RESP2 has it.
struct answer {
    enum class type : std::uint8_t { status, error, whole, text, null, list } is = type::null;
    std::string text;
    std::int64_t whole = 0;
    std::vector<answer> items;

    bool failed() const { return is == type::error; }
    std::vector<std::string> texts() const;
    bool operator==(const answer& other) const = default;
};

// A blocking client that shares no code with the room under test.
class client {
public:
    explicit client(const std::string& socket_path);
    client(const client&) = delete;
    client& operator=(const client&) = delete;
    ~client();

    answer call(const std::vector<std::string>& words);
    // Type, content and expiry of every key: what must be unchanged after a refused script.
    std::map<std::string, std::string> keyspace();

private:
    std::string read_line();
    std::string read_bytes(std::size_t count);
    answer read_answer();
    void fill();

    int socket_ = -1;
    std::string buffer_;
    std::size_t used_ = 0;
};

} // namespace leat::tests
