#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace re2 {
class RE2; // NOLINT(readability-identifier-naming): theirs
}

namespace leat::cli {

// Which messages of a list are meant, as people say it.
struct filter_words {
    std::string text;
    std::string regex;
    std::string reason;
    std::string older;
    std::string newer;
};
// Of an argument: it must not be empty.
extern const CLI::Validator said;

void add_filter_options(CLI::App& command, filter_words& words);

// All that was said must hold.
class filter {
public:
    // Throws CLI::ValidationError when the words make no sense.
    explicit filter(const filter_words& words);
    filter(const filter&) = delete;
    filter& operator=(const filter&) = delete;
    ~filter();

    bool any() const; // something was said
    bool by_age() const { return older_ || newer_; }
    // `story` is what is known of a dead message, as JSON, or empty; `now` is the server's time in seconds. What has no
    // known age or reason does not match one that was asked for.
    bool matches(const std::string& message, const std::string& story, std::int64_t now) const;

private:
    filter_words words_;
    std::unique_ptr<re2::RE2> regex_;
    std::optional<std::int64_t> older_;
    std::optional<std::int64_t> newer_;
};

// 30s, 5m, 2h, 7d in seconds.
std::optional<std::int64_t> read_duration(const std::string& text);

} // namespace leat::cli
