#include "redis/url.hpp"

#include "base/mask.hpp"

#include <spdlog/fmt/fmt.h>

#include <cctype>
#include <charconv>

namespace leat::redis {
namespace {

// Complaints quote no part of the URL: a slip in it may have made the password part of anything.
base::error complain(std::string text) {
    return base::error{std::move(text)};
}

std::optional<std::string> percent_decode(std::string_view text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            plain += text[i];
            continue;
        }
        unsigned byte = 0;
        if (i + 2 >= text.size()) {
            return std::nullopt;
        }
        const auto* from = text.data() + i + 1;
        auto [end, bad] = std::from_chars(from, from + 2, byte, 16);
        if (bad != std::errc{} || end != from + 2) {
            return std::nullopt;
        }
        plain += static_cast<char>(byte);
        i += 2;
    }
    return plain;
}

std::optional<int> number_up_to(std::string_view text, int most) {
    int number = 0;
    auto [end, bad] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (text.empty() || bad != std::errc{} || end != text.data() + text.size() || number < 0 || number > most) {
        return std::nullopt;
    }
    return number;
}

base::result<void> read_db(std::string_view text, url& made) {
    auto db = number_up_to(text, 1'000'000);
    if (!db) {
        return complain("the database, after the host and `/`, must be a whole number");
    }
    made.db = *db;
    return {};
}

base::result<void> read_user(std::string_view text, url& made) {
    auto colon = text.find(':');
    auto user = percent_decode(text.substr(0, colon));
    auto password = percent_decode(colon == std::string_view::npos ? "" : text.substr(colon + 1));
    if (!user || !password) {
        return complain("user or password has a `%` that is not followed by two hex digits (a plain % is written %25)");
    }
    if (password->empty() && !user->empty()) {
        return complain("a user without a password; expected user:password@ or :password@");
    }
    made.user = *user;
    made.password = *password;
    return {};
}

base::result<void> read_query(std::string_view query, url& made) {
    while (!query.empty()) {
        auto pair = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(query.size(), pair.size() + 1));
        auto name = pair.substr(0, pair.find('='));
        auto found = percent_decode(name.size() == pair.size() ? "" : pair.substr(name.size() + 1));
        if (!found || found->empty()) {
            return complain("a word of the query, after `?`, has no (or a badly encoded) value");
        }
        bool tls = made.via == url::transport::tls;
        if (name == "db") {
            if (auto db = read_db(*found, made); !db) {
                return db;
            }
        } else if (name == "password" && made.password.empty()) {
            made.password = *found;
        } else if (name == "cacert" && tls) {
            made.ca_file = *found;
        } else if (name == "cert" && tls) {
            made.cert_file = *found;
        } else if (name == "key" && tls) {
            made.key_file = *found;
        } else if (name == "sni" && tls) {
            made.server_name = *found;
        } else if (name == "insecure" && tls && (*found == "yes" || *found == "no")) {
            made.insecure = *found == "yes";
        } else {
            return complain("unknown word in the query, after `?`; known are db, password, and with rediss:// cacert, "
                            "cert, key, sni, insecure=yes");
        }
    }
    if (made.cert_file.empty() != made.key_file.empty()) {
        return complain("cert and key belong together; one is missing");
    }
    return {};
}

base::result<address> read_address(std::string_view text, std::string_view usual_port) {
    address made{"localhost", std::string{usual_port}};
    std::string_view host = text;
    std::string_view port;
    if (text.starts_with('[')) { // IPv6
        auto close = text.find(']');
        if (close == std::string_view::npos) {
            return complain("`[` without `]`");
        }
        host = text.substr(1, close - 1);
        auto rest = text.substr(close + 1);
        if (!rest.empty() && !rest.starts_with(':')) {
            return complain("expected `:port` after `]`");
        }
        port = rest.empty() ? rest : rest.substr(1);
    } else if (auto colon = text.find(':'); colon != std::string_view::npos) {
        host = text.substr(0, colon);
        port = text.substr(colon + 1);
        if (port.empty()) {
            return complain("`:` without a port");
        }
    }
    if (!host.empty()) {
        made.host = host;
    }
    if (!port.empty()) {
        if (number_up_to(port, 65535).value_or(0) == 0) {
            return complain("the port must be a number from 1 to 65535");
        }
        made.port = port;
    }
    return made;
}

base::result<void> read_socket(std::string_view text, url& made) {
    auto path = percent_decode(text);
    if (!path || !path->starts_with('/')) {
        return complain("expected the path of a socket after unix://, starting with /");
    }
    if (path->size() > 107) { // sun_path of Linux
        return complain("the path of a unix socket may have at most 107 bytes");
    }
    made.path = *path;
    return {};
}

// h1:26379,h2/master/db
base::result<void> read_sentinels(std::string_view text, url& made) {
    auto slash = text.find('/');
    auto hosts = text.substr(0, slash);
    auto rest = slash == std::string_view::npos ? "" : text.substr(slash + 1);
    auto second = rest.find('/');
    auto master = percent_decode(rest.substr(0, second));
    if (hosts.empty() || !master || master->empty()) {
        return complain("expected redis+sentinel://host[:port],host.../master[/db]");
    }
    made.master = *master;
    while (!hosts.empty()) {
        auto each = hosts.substr(0, hosts.find(','));
        hosts.remove_prefix(std::min(hosts.size(), each.size() + 1));
        auto sentinel = read_address(each, "26379");
        if (!sentinel || each.empty()) {
            return each.empty() ? complain("an empty host in the list of sentinels") : sentinel.error();
        }
        made.sentinels.push_back(*sentinel);
    }
    auto db = second == std::string_view::npos ? "" : rest.substr(second + 1);
    return db.empty() ? base::result<void>{} : read_db(db, made);
}

// host:port/db
base::result<void> read_server(std::string_view text, url& made) {
    auto slash = text.find('/');
    auto server = read_address(text.substr(0, slash), "6379");
    if (!server) {
        return server.error();
    }
    made.host = server->host;
    made.port = server->port;
    auto db = slash == std::string_view::npos ? "" : text.substr(slash + 1);
    return db.empty() ? base::result<void>{} : read_db(db, made);
}

} // namespace

base::result<url> parse_url(std::string_view text) {
    url made;
    made.shown = base::mask_url(text);
    auto scheme_end = text.find("://");
    if (scheme_end == std::string_view::npos) {
        return complain("expected redis://, rediss://, unix:// or redis+sentinel://, found no `://`");
    }
    auto scheme = text.substr(0, scheme_end);
    auto rest = text.substr(scheme_end + 3);
    auto query = rest.find('?');
    auto where = rest.substr(0, query);
    if (auto at = where.rfind('@'); at != std::string_view::npos) {
        if (auto user = read_user(where.substr(0, at), made); !user) {
            return user.error();
        }
        where.remove_prefix(at + 1);
    }
    base::result<void> read;
    if (scheme == "redis" || scheme == "rediss") {
        made.via = scheme == "redis" ? url::transport::tcp : url::transport::tls;
        read = read_server(where, made);
    } else if (scheme == "unix") {
        made.via = url::transport::unix_socket;
        read = read_socket(where, made);
    } else if (scheme == "redis+sentinel") {
        read = read_sentinels(where, made);
    } else if (scheme == "redis+cluster") {
        read = complain("redis+cluster:// is not supported by this version");
    } else {
        read = complain("expected redis://, rediss://, unix:// or redis+sentinel://, found another scheme");
    }
    if (read && query != std::string_view::npos) {
        read = read_query(rest.substr(query + 1), made);
    }
    if (!read) {
        return read.error();
    }
    return made;
}

std::string unix_url(std::string_view path) {
    std::string made = "unix://";
    for (char each : path) {
        bool plain = std::isalnum(static_cast<unsigned char>(each)) != 0 ||
                     std::string_view{"/._-~"}.find(each) != std::string_view::npos;
        made += plain ? std::string(1, each) : fmt::format("%{:02X}", static_cast<unsigned char>(each));
    }
    return made;
}

std::optional<std::string> check_url(std::string_view text) {
    auto parsed = parse_url(text);
    if (parsed) {
        return std::nullopt;
    }
    return parsed.error().text;
}

} // namespace leat::redis
