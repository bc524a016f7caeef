#include "base/mask.hpp"

namespace leat::base {

std::string mask_url(std::string_view url) {
    std::string masked{url};
    for (std::string_view name : {"?password=", "&password="}) {
        auto found = masked.find(name);
        if (found != std::string::npos) {
            auto from = found + name.size();
            masked.replace(from, masked.find('&', from) - from, "***");
        }
    }
    auto scheme = masked.find("://");
    auto start = scheme == std::string::npos ? 0 : scheme + 3;
    // A password may hold a raw `/`, `?` or `@` by mistake: all between the first colon and the last `@` is hidden.
    auto at = masked.rfind('@');
    auto colon = masked.find(':', start);
    if (at != std::string::npos && colon < at) {
        masked.replace(colon + 1, at - colon - 1, "***");
    }
    return masked;
}

} // namespace leat::base
