#include "redis/digest.hpp"

#include <openssl/evp.h>

#include <array>

namespace leat::redis {

std::string sha1_hex(std::string_view text) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int size = 0;
    EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha1(), nullptr);
    std::string hex;
    for (unsigned int i = 0; i < size; ++i) {
        constexpr std::string_view digits = "0123456789abcdef";
        hex += digits[digest.at(i) >> 4];
        hex += digits[digest.at(i) & 15];
    }
    return hex;
}

} // namespace leat::redis
