#pragma once

#include "config/value.hpp"

namespace leat::config {

// Block style; text is quoted where that is needed, so that reading gives the same values back.
std::string to_yaml(const value& content);

// Indent 0 is compact, on one line.
std::string to_json(const value& content, int indent = 2);

// As Node.js prints an object to its log, in a block:
//   {
//         in: 'demo:in',
//         out: [ 'a', 'b' ] }
std::string inspect(const value& content);
// ... and on a line: { host: 'eowyn', pid: 19897 }
std::string inspect_line(const value& content);

// The shortest decimal digits that read back as the same number, always with a point or an exponent.
std::string decimal(double number);

} // namespace leat::config
