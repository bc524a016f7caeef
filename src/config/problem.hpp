#pragma once

#include "config/value.hpp"

#include <span>

namespace leat::config {

enum class severity { error, warning };

struct problem {
    severity level = severity::error;
    position where;
    std::string text;
};

// `orders.yaml:3:5: error: unknown setting popTimout; did you mean popTimeout?`
std::string to_string(const problem& told);

// Everything that is wrong with a configuration: reading goes on after a problem, so that one run tells them all.
class problems {
public:
    void error(position where, std::string text);
    void warning(position where, std::string text);

    bool any_errors() const { return errors_ > 0; }
    std::size_t error_count() const { return errors_; }
    bool empty() const { return all_.empty(); }
    const std::vector<problem>& all() const { return all_; }

private:
    std::vector<problem> all_;
    std::size_t errors_ = 0;
};

// The candidate that the word was probably meant to be: at most a third of its letters away, whatever their case; or
// the only one that begins with it.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);

// `; did you mean popTimeout?`, or nothing when no candidate is near.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);
// ... or all of them: `; there are mpush, exec and router`.
std::string did_you_mean_or_all(std::string_view word, std::span<const std::string> candidates);

} // namespace leat::config
