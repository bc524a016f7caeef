#pragma once

#include "config/reader.hpp"
#include "config/source.hpp"

namespace leat::config {

// A JSON document, or the one literal that a .js file exports; it is read, never run. Throws syntax_error; problems
// that do not stop the reading go to `found`.
value read_literal(const source& from, syntax form, const environment& env, problems& found);

} // namespace leat::config
