#include "base/mask.hpp"

namespace leat::base {

std::string mask_url(std::string_view url) {
    std::string masked{url};
    auto scheme = masked.find("://");
    if (scheme == std::string::npos) {
        return masked;
    }
    auto start = scheme + 3;
    auto end = masked.find_first_of("/?#", start);
    // A password may hold a raw `/` or `?` by mistake; the last `@` of the whole text decides, so that it stays hidden.
    auto at = masked.rfind('@');
    if (at != std::string::npos && (end == std::string::npos || at < end || masked.find('@', start) == at)) {
        auto colon = masked.find(':', start);
        if (colon != std::string::npos && colon < at) {
            masked.replace(colon + 1, at - colon - 1, "***");
        }
    }
    for (std::string_view name : {"?password=", "&password="}) {
        auto found = masked.find(name);
        if (found != std::string::npos) {
            auto from = found + name.size();
            masked.replace(from, masked.find('&', from) - from, "***");
        }
    }
    return masked;
}

} // namespace leat::base
