#include "redis/url.hpp"

#include <gmock/gmock.h>

namespace leat::redis {
namespace {

using testing::HasSubstr;

TEST(url, reads_host_port_and_database) {
    auto parsed = parse_url("redis://example.org:6380/3").value();
    EXPECT_EQ(parsed.via, url::transport::tcp);
    EXPECT_EQ(parsed.host, "example.org");
    EXPECT_EQ(parsed.port, "6380");
    EXPECT_EQ(parsed.db, 3);
}

TEST(url, has_the_usual_defaults) {
    auto parsed = parse_url("redis://").value();
    EXPECT_EQ(parsed.host, "localhost");
    EXPECT_EQ(parsed.port, "6379");
    EXPECT_EQ(parsed.db, 0);
    EXPECT_TRUE(parsed.password.empty());
}

TEST(url, reads_user_and_password_and_shows_neither_secret) {
    auto parsed = parse_url("redis://bob:p%40ss%2Fword@host/1").value();
    EXPECT_EQ(parsed.user, "bob");
    EXPECT_EQ(parsed.password, "p@ss/word");
    EXPECT_EQ(parsed.shown, "redis://bob:***@host/1");
    EXPECT_EQ(parse_url("redis://:pw@host").value().password, "pw");
}

TEST(url, reads_ipv6) {
    auto parsed = parse_url("redis://[::1]:7000/2").value();
    EXPECT_EQ(parsed.host, "::1");
    EXPECT_EQ(parsed.port, "7000");
    EXPECT_EQ(parse_url("redis://[fe80::1]").value().port, "6379");
}

TEST(url, reads_unix_sockets) {
    auto parsed = parse_url("unix:///run/redis.sock?db=4&password=pw").value();
    EXPECT_EQ(parsed.via, url::transport::unix_socket);
    EXPECT_EQ(parsed.path, "/run/redis.sock");
    EXPECT_EQ(parsed.db, 4);
    EXPECT_EQ(parsed.password, "pw");
    EXPECT_EQ(parse_url("unix://u:p@/run/s.sock").value().user, "u");
}

TEST(url, reads_sentinels) {
    auto parsed = parse_url("redis+sentinel://u:p@h1,h2:7,[::1]:8/mymaster/2").value();
    ASSERT_EQ(parsed.sentinels.size(), 3U);
    EXPECT_EQ(parsed.sentinels[0].host, "h1");
    EXPECT_EQ(parsed.sentinels[0].port, "26379");
    EXPECT_EQ(parsed.sentinels[1].port, "7");
    EXPECT_EQ(parsed.sentinels[2].host, "::1");
    EXPECT_EQ(parsed.master, "mymaster");
    EXPECT_EQ(parsed.db, 2);
    EXPECT_EQ(parsed.password, "p");
    EXPECT_EQ(parse_url("redis+sentinel://h/m").value().db, 0);
}

TEST(url, reads_tls_settings) {
    auto parsed = parse_url("rediss://host?cacert=/ca.pem&cert=/c.pem&key=/k.pem&sni=other&insecure=yes").value();
    EXPECT_EQ(parsed.via, url::transport::tls);
    EXPECT_EQ(parsed.ca_file, "/ca.pem");
    EXPECT_EQ(parsed.cert_file, "/c.pem");
    EXPECT_EQ(parsed.key_file, "/k.pem");
    EXPECT_EQ(parsed.server_name, "other");
    EXPECT_TRUE(parsed.insecure);
}

TEST(url, complains_and_says_what_was_expected) {
    struct {
        const char* text;
        const char* complaint;
    } cases[]{
        {"localhost:6379", "no `://`"},
        {"http://localhost", "found another scheme"},
        {"redis+sentinel://a,b", "redis+sentinel://host"},
        {"redis+sentinel:///m", "redis+sentinel://host"},
        {"redis+sentinel://a,,b/m", "empty host"},
        {"redis+sentinel://a:0/m", "port"},
        {"redis+sentinel://a/m/x", "database"},
        {"redis+cluster://a,b", "not supported by this version"},
        {"redis://host/x", "database"},
        {"redis://host/-1", "database"},
        {"redis://host:0", "port"},
        {"redis://host:70000", "port"},
        {"redis://host:", "port"},
        {"redis://[::1", "without `]`"},
        {"redis://bob@host", "without a password"},
        {"redis://u:secret%zz@h", "hex digits"},
        {"redis://h?cacert=/x", "unknown word"},
        {"rediss://h?cert=/x", "belong together"},
        {"rediss://h?insecure=maybe", "unknown word"},
        {"redis://h?db=", "no (or a badly encoded) value"},
        {"unix://relative.sock", "starting with /"},
        {"", "no `://`"},
    };
    for (const auto& each : cases) {
        auto complaint = check_url(each.text);
        ASSERT_TRUE(complaint.has_value()) << each.text;
        EXPECT_THAT(*complaint, HasSubstr(each.complaint));
        EXPECT_THAT(*complaint, testing::Not(HasSubstr("secret")));
    }
}

TEST(url, a_complaint_never_holds_a_password) {
    for (const auto* text :
         {"redis://u:secret@h/x", "redis://u:12?secret@h", "redis://u:secret?x@h", "redis://u:x/secret@h:y",
          "redis://u:secret@h:port", "redis://u:a@secret@h:99999", "unix://u:secret@relative",
          "redis://h?password=secret&x=y", "redis://h/db?password=secret", "redis://:secret", "redis://h/secret",
          "redis://h:secret", "rediss://u:p@h?secret=x"}) {
        auto complaint = check_url(text);
        ASSERT_TRUE(complaint.has_value()) << text;
        EXPECT_THAT(*complaint, testing::Not(HasSubstr("secret"))) << text;
    }
}

TEST(url, any_socket_path_can_be_written) {
    for (const auto* path : {"/tmp/a b/me@corp?x#%zz/s.sock", "/tmp/gr\xc3\xbc/s.sock", "/plain.sock"}) {
        EXPECT_EQ(parse_url(unix_url(path)).value().path, path);
    }
}

TEST(url, a_socket_path_has_a_limit) {
    EXPECT_TRUE(check_url("unix:///" + std::string(200, 'x')).has_value());
}

} // namespace
} // namespace leat::redis
