#pragma once

#include <string>
#include <string_view>

namespace leat::redis {

// SHA1 in hexadecimal, as redis.sha1hex of a script has it. It tells messages apart; nothing depends on its strength.
std::string sha1_hex(std::string_view text);

} // namespace leat::redis
