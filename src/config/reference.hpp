#pragma once

#include "config/spec_base.hpp"

namespace leat::config {

// The page docs/reference/<kind>.md, in Markdown; the same spec always gives the same page.
// What its examples are: files that say their kind, or no files of their own (processors of a route).
enum class example_form { kind, part };
std::string reference_page(const spec_base& kind, example_form form = example_form::kind);

// An example as a whole file: it says its kind, so that `leat run` takes it too.
std::string example_file(const spec_base& kind, const example& shown);

// JSON Schema 2020-12 of a run file, in both of its forms, and of the plain settings of one kind. Editors use them;
// our own lint is stricter, as it knows what no schema can say.
std::string json_schema(std::span<const spec_base* const> kinds);
std::string json_schema(const spec_base& kind);

} // namespace leat::config
