#pragma once

#include <string>
#include <string_view>

namespace leat::base {

// The URL with its password as `***`, also when the URL is malformed. Text without user and password comes back as it
// is.
std::string mask_url(std::string_view url);

} // namespace leat::base
