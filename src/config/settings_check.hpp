#pragma once

#include "config/field.hpp"

namespace leat::config {

// Tells every problem of a map of settings and of the groups in it. False when a known setting is wrong, so that the
// rules between settings cannot be tried.
bool check_settings(const std::vector<field_info>& fields, const value& map, problems& found);

} // namespace leat::config
