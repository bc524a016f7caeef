#pragma once

#include "base/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace leat::redis {

// Where a server is and how to enter it:
//   redis://[user:password@]host[:port][/db]
//   rediss://...?cacert=FILE&cert=FILE&key=FILE&sni=NAME&insecure=yes
//   unix://[user:password@]/path/to.sock[?db=N]
//   redis+sentinel://[user:password@]host[:port],host.../master[/db]
// User and password may be percent-encoded. Query words are those of redis-cli's flags.
struct address {
    std::string host;
    std::string port;
};

struct url {
    enum class transport : std::uint8_t { tcp, tls, unix_socket };

    transport via = transport::tcp;
    std::string host = "localhost";
    std::string port = "6379";
    std::string path; // of the unix socket
    std::string user;
    std::string password;
    int db = 0;

    std::vector<address> sentinels; // who knows where the master is; then host and port are not used
    std::string master;

    std::string ca_file;
    std::string cert_file;
    std::string key_file;
    std::string server_name; // for SNI and the host check, when it is not the host
    bool insecure = false;   // take any certificate

    std::string shown; // the text it was made from, without its secrets
};

base::result<url> parse_url(std::string_view text);

// The URL of a socket, whatever is in its path.
std::string unix_url(std::string_view path);

// The complaint of parse_url, for specs.
std::optional<std::string> check_url(std::string_view text);

} // namespace leat::redis
