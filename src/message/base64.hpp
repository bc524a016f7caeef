#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace leat::message {

// For messages that JSON cannot hold as text (RFC 4648, with padding).
std::string to_base64(std::string_view bytes);
// Nothing when it is none; padding may be left out.
std::optional<std::string> from_base64(std::string_view text);

} // namespace leat::message
