#pragma once

#include <string>
#include <string_view>

namespace leat::message {

// For messages that JSON cannot hold as text (RFC 4648, with padding).
std::string to_base64(std::string_view bytes);

} // namespace leat::message
