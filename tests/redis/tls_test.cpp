#include "redis/link.hpp"
#include "support/on_loop.hpp"
#include "support/private_server.hpp"

#include <gmock/gmock.h>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>

namespace leat::tests {
namespace {

using boost::asio::awaitable;
using testing::HasSubstr;

std::string free_port() {
    int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ::bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address);
    socklen_t size = sizeof address;
    ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
    ::close(socket);
    return std::to_string(ntohs(address.sin_port));
}

// An authority, and certificates that it signs, made by the openssl program.
class authority {
public:
    authority(std::string folder, std::string name)
        : folder_{std::move(folder)}
        , name_{std::move(name)} {
        run("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=" + name_ +
            " -keyout " + file(".key") + " -out " + file(".crt"));
    }

    std::string certificate() const { return file(".crt"); }

    // Makes FOLDER/who.crt and who.key for these subject names, like DNS:localhost,IP:127.0.0.1.
    void sign(const std::string& who, const std::string& names) const {
        auto base = folder_ + "/" + who;
        run("openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=" + who + " -keyout " +
            base + ".key -out " + base + ".csr");
        run("printf 'subjectAltName=" + names + "' > " + base + ".ext; openssl x509 -req -days 2 -in " + base +
            ".csr -CA " + file(".crt") + " -CAkey " + file(".key") + " -CAcreateserial -extfile " + base +
            ".ext -out " + base + ".crt");
    }

private:
    static void run(const std::string& command) {
        ASSERT_EQ(std::system(("{ " + command + "; } >/dev/null 2>&1").c_str()), 0) << command;
    }
    std::string file(const std::string& ending) const { return folder_ + "/" + name_ + ending; }

    std::string folder_;
    std::string name_;
};

awaitable<void> outcome(on_loop& loop, redis::link& one, std::chrono::milliseconds longest) {
    co_await loop.until([&one] { return one.refused().has_value() || one.connected(); }, longest);
    one.stop();
}

class tls : public testing::Test {
protected:
    tls() {
        ours.sign("server", "DNS:localhost,IP:127.0.0.1");
        ours.sign("client", "DNS:client");
    }

    std::unique_ptr<private_server> start(const std::string& clients) {
        return std::make_unique<private_server>(
            "redis",
            std::vector<std::string>{
                "--tls-port", port, "--tls-cert-file", folder.file("server.crt"), "--tls-key-file",
                folder.file("server.key"), "--tls-ca-cert-file", ours.certificate(), "--tls-auth-clients", clients});
    }

    // Empty: connected. Else what the refusal says.
    static std::string try_to_connect(
        const std::string& url, std::chrono::milliseconds longest = std::chrono::seconds{15}) {
        on_loop loop;
        auto one = loop.link(url);
        loop.run(outcome(loop, *one, longest));
        return one->refused() ? one->refused()->text : one->connects() > 0 ? "" : "no answer";
    }

    temp_folder folder;
    authority ours{folder.path(), "ours"};
    std::string port = free_port();
};

TEST_F(tls, connects_by_name_and_by_address) {
    auto server = start("no");
    EXPECT_EQ(try_to_connect("rediss://localhost:" + port + "?cacert=" + ours.certificate()), "");
    EXPECT_EQ(try_to_connect("rediss://127.0.0.1:" + port + "?cacert=" + ours.certificate()), "");
}

TEST_F(tls, a_wrong_authority_is_final_and_says_so) {
    auto server = start("no");
    authority other{folder.path(), "other"};
    EXPECT_THAT(
        try_to_connect("rediss://localhost:" + port + "?cacert=" + other.certificate()),
        HasSubstr("certificate verify failed"));
    EXPECT_THAT(try_to_connect("rediss://localhost:" + port), HasSubstr("certificate verify failed"));
    EXPECT_EQ(try_to_connect("rediss://localhost:" + port + "?insecure=yes"), "");
}

TEST_F(tls, the_name_in_the_certificate_must_fit) {
    auto server = start("no");
    auto url = "rediss://127.0.0.1:" + port + "?cacert=" + ours.certificate();
    EXPECT_THAT(try_to_connect(url + "&sni=elsewhere.example"), HasSubstr("certificate verify failed"));
    EXPECT_EQ(try_to_connect(url + "&sni=localhost"), "");
}

TEST_F(tls, shows_a_client_certificate) {
    auto server = start("yes");
    auto url = "rediss://localhost:" + port + "?cacert=" + ours.certificate();
    EXPECT_EQ(try_to_connect(url + "&cert=" + folder.file("client.crt") + "&key=" + folder.file("client.key")), "");
    EXPECT_THAT(try_to_connect(url), HasSubstr("certificate required"));
}

TEST_F(tls, a_missing_file_is_named) {
    EXPECT_THAT(try_to_connect("rediss://localhost:" + port + "?cacert=/no/such.pem"), HasSubstr("/no/such.pem"));
}

TEST_F(tls, sends_the_server_name) {
    // s_server shows the second certificate only to who asks for second.example; the first would not pass.
    ours.sign("second", "DNS:second.example");
    runtime::child::options quiet;
    quiet.output = folder.file("s_server.log");
    runtime::child server{
        {"/usr/bin/openssl", "s_server", "-accept", port, "-cert", folder.file("server.crt"), "-key",
         folder.file("server.key"), "-servername", "second.example", "-cert2", folder.file("second.crt"), "-key2",
         folder.file("second.key"), "-quiet"},
        quiet};
    auto url = "rediss://127.0.0.1:" + port + "?cacert=" + ours.certificate();
    // s_server never speaks Redis: no refusal in that time means that the handshake passed. Another name gets the first
    // certificate, which does not fit it.
    EXPECT_EQ(try_to_connect(url + "&sni=second.example", std::chrono::seconds{2}), "no answer");
    EXPECT_THAT(try_to_connect(url + "&sni=third.example"), HasSubstr("certificate verify failed"));
}

} // namespace
} // namespace leat::tests
