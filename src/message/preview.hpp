#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace leat::message {

// A message as one line for logs: printable ASCII and valid UTF-8 as they are, other bytes as \xNN, cut after `most`
// bytes with the full size told.
std::string preview(std::string_view payload, std::size_t most = 80);

} // namespace leat::message
