#pragma once

#include "config/reader.hpp"

namespace leat::config {

// A scalar of a file with its ${VAR} resolved, once: what a variable holds is not looked into again. Problems do not
// show the text, which may be a secret.
//
//   ${VAR}          the variable; an error when it is not set
//   ${VAR:default}  the variable, or the default (which may be empty) when it is not set
//   ${{VAR}}        literally ${VAR}
//
// A `${` that no `}` follows stays as it is, with a warning.
value interpolated(std::string_view text, position where, scalar_style style, const environment& env, problems& found);

// The text with every ${ escaped, so that interpolated gives it back.
std::string without_interpolation(std::string_view text);

} // namespace leat::config
