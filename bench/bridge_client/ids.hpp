#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace leat::bench {

std::string uuid();
std::vector<std::string> uuids(int count);

// A body of a size that begins with its number, and the number of one.
std::string body(std::size_t number, int size);
std::size_t number_of(std::string_view body);

} // namespace leat::bench
