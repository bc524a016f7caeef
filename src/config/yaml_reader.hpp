#pragma once

#include "config/reader.hpp"
#include "config/source.hpp"

namespace leat::config {

// One YAML document. Throws syntax_error; problems that do not stop the reading go to `found`.
value read_yaml(const source& from, const environment& env, problems& found);

} // namespace leat::config
