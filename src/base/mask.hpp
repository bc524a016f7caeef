#pragma once

#include <span>
#include <string>
#include <string_view>

namespace leat::base {

// The URL with its password as `***`, also when the URL is malformed. Text without user and password comes back as it
// is.
std::string mask_url(std::string_view url);

// The text of somebody who may quote what we sent, with `***` for every secret in it, as it is or percent-encoded. Also
// for the front part of one: Redis quotes no more than 128 bytes of a command that it does not know. Empty secrets are
// none.
std::string mask_secrets(std::string_view text, std::span<const std::string> secrets);

} // namespace leat::base
