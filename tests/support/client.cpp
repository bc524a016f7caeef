#include "support/client.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <map>
#include <stdexcept>
#include <utility>

namespace leat::tests {
namespace {

// The order of a hash's fields is the server's affair, and changes while its table grows.
void sort_fields(std::vector<answer>& fields_and_values) {
    std::map<std::string, answer> sorted;
    for (std::size_t i = 0; i + 1 < fields_and_values.size(); i += 2) {
        sorted[fields_and_values[i].text] = fields_and_values[i + 1];
    }
    fields_and_values.clear();
    for (auto& [field, value] : sorted) {
        fields_and_values.push_back({.is = answer::type::text, .text = field, .whole = 0, .items = {}});
        fields_and_values.push_back(std::move(value));
    }
}

} // namespace

std::vector<std::string> answer::texts() const {
    std::vector<std::string> found;
    found.reserve(items.size());
    for (const auto& item : items) {
        found.push_back(item.text);
    }
    return found;
}

client::client(const std::string& socket_path)
    : socket_{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    socket_path.copy(address.sun_path, sizeof address.sun_path - 1);
    if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        throw std::runtime_error{"cannot connect to " + socket_path};
    }
}

client::~client() {
    ::close(socket_);
}

answer client::call(const std::vector<std::string>& words) {
    std::string request = "*" + std::to_string(words.size()) + "\r\n";
    for (const auto& word : words) {
        request += "$" + std::to_string(word.size()) + "\r\n" + word + "\r\n";
    }
    for (std::size_t sent = 0; sent < request.size();) {
        auto now = ::send(socket_, request.data() + sent, request.size() - sent, MSG_NOSIGNAL);
        if (now <= 0) {
            throw std::runtime_error{"connection lost while sending"};
        }
        sent += static_cast<std::size_t>(now);
    }
    return read_answer();
}

std::map<std::string, std::string> client::keyspace() {
    std::map<std::string, std::string> found;
    auto cursor = std::string{"0"};
    do {
        auto page = call({"SCAN", cursor, "COUNT", "1000"});
        cursor = page.items.at(0).text;
        for (const auto& key : page.items.at(1).texts()) {
            auto type = call({"TYPE", key}).text;
            auto content = type == "list"   ? call({"LRANGE", key, "0", "-1"})
                           : type == "hash" ? call({"HGETALL", key})
                                            : call({"DUMP", key});
            if (type == "hash") {
                sort_fields(content.items);
            }
            std::string all = type + " pexpiretime=" + std::to_string(call({"PEXPIRETIME", key}).whole) + " ";
            for (const auto& item : content.items) {
                all += std::to_string(item.text.size()) + ":" + item.text + ",";
            }
            found[key] = all + content.text;
        }
    } while (cursor != "0");
    found["<DBSIZE>"] = std::to_string(call({"DBSIZE"}).whole);
    return found;
}

void client::fill() {
    if (used_ > 1 << 20) {
        buffer_.erase(0, used_);
        used_ = 0;
    }
    char chunk[1 << 16];
    auto got = ::recv(socket_, chunk, sizeof chunk, 0);
    if (got <= 0) {
        throw std::runtime_error{"connection lost while reading"};
    }
    buffer_.append(chunk, static_cast<std::size_t>(got));
}

std::string client::read_line() {
    for (;;) {
        auto end = buffer_.find("\r\n", used_);
        if (end != std::string::npos) {
            auto line = buffer_.substr(used_, end - used_);
            used_ = end + 2;
            return line;
        }
        fill();
    }
}

std::string client::read_bytes(std::size_t count) {
    while (buffer_.size() - used_ < count + 2) {
        fill();
    }
    auto bytes = buffer_.substr(used_, count);
    used_ += count + 2;
    return bytes;
}

answer client::read_answer() {
    auto line = read_line();
    auto rest = line.substr(1);
    answer made;
    switch (line[0]) {
    case '+':
        made.is = answer::type::status;
        made.text = rest;
        break;
    case '-':
        made.is = answer::type::error;
        made.text = rest;
        break;
    case ':':
        made.is = answer::type::whole;
        made.whole = std::stoll(rest);
        break;
    case '$':
        if (rest != "-1") {
            made.is = answer::type::text;
            made.text = read_bytes(std::stoul(rest));
        }
        break;
    case '*':
        if (rest != "-1") {
            made.is = answer::type::list;
            for (auto count = std::stoul(rest); count > 0; --count) {
                made.items.push_back(read_answer());
            }
        }
        break;
    default:
        throw std::runtime_error{"not an answer: " + line};
    }
    return made;
}

} // namespace leat::tests
