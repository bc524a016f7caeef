#pragma once

#include <string>
#include <string_view>

namespace leat::base {

// The URL with its password, and any secret of its query, as `***`. Text that is not a URL comes back as it is.
std::string mask_url(std::string_view url);

} // namespace leat::base
