#include "redis/tls.hpp"

#include <boost/asio/ip/address.hpp>

#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

#include <memory>

namespace leat::redis {
namespace {

void free_name(void* /*parent*/, void* name, CRYPTO_EX_DATA* /*data*/, int /*index*/, long /*l*/, void* /*p*/) {
    std::unique_ptr<std::string>{static_cast<std::string*>(name)};
}

int name_index() {
    static const int index = SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, &free_name);
    return index;
}

// Boost.Redis makes the SSL object itself and offers no place to set its name, so it is set as the handshake begins.
void set_name_at_start(const SSL* ssl, int where, int /*result*/) {
    if ((where & SSL_CB_HANDSHAKE_START) == 0) {
        return;
    }
    const auto* name = static_cast<std::string*>(SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), name_index()));
    if (name != nullptr) {
        // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): OpenSSL's callback hands out a const SSL
        SSL_ctrl(
            const_cast<SSL*>(ssl), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
            const_cast<char*>(name->c_str()));
    }
}

failure bad_file(std::string_view what, const std::string& file, const boost::system::error_code& reason) {
    return {error_class::stop, "cannot use the " + std::string{what} + " " + file + ": " + reason.message()};
}

} // namespace

result<boost::asio::ssl::context> create_tls_context(const url& server) {
    namespace ssl = boost::asio::ssl;
    ssl::context made{ssl::context::tls_client};
    boost::system::error_code bad;
    SSL_CTX_set_min_proto_version(made.native_handle(), TLS1_2_VERSION);
    if (server.ca_file.empty()) {
        made.set_default_verify_paths(bad);
    } else if (made.load_verify_file(server.ca_file, bad); bad) {
        return bad_file("CA file", server.ca_file, bad);
    }
    if (!server.cert_file.empty()) {
        if (made.use_certificate_chain_file(server.cert_file, bad); bad) {
            return bad_file("client certificate", server.cert_file, bad);
        }
        if (made.use_private_key_file(server.key_file, ssl::context::pem, bad); bad) {
            return bad_file("client key", server.key_file, bad);
        }
    }
    const auto& name = server.server_name.empty() ? server.host : server.server_name;
    boost::asio::ip::make_address(name, bad);
    bool is_address = !bad;
    if (server.insecure) {
        made.set_verify_mode(ssl::verify_none);
    } else {
        made.set_verify_mode(ssl::verify_peer);
        auto* rules = SSL_CTX_get0_param(made.native_handle());
        if (is_address) {
            X509_VERIFY_PARAM_set1_ip_asc(rules, name.c_str());
        } else {
            X509_VERIFY_PARAM_set1_host(rules, name.c_str(), name.size());
        }
    }
    if (!is_address) {
        auto kept = std::make_unique<std::string>(name);
        SSL_CTX_set_ex_data(made.native_handle(), name_index(), kept.release());
        SSL_CTX_set_info_callback(made.native_handle(), &set_name_at_start);
    }
    return made;
}

} // namespace leat::redis
