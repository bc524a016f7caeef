#include "cli/filter.hpp"

#include "inspect/details.hpp"

#include <re2/re2.h>

#include <charconv>

namespace leat::cli {
namespace {

std::int64_t seconds_of(const char* flag, const std::string& text) {
    auto read = read_duration(text);
    if (!read) {
        throw CLI::ValidationError{flag, "expected a time as 30s, 5m, 2h or 7d, found `" + text + "`"};
    }
    return *read;
}

} // namespace

const CLI::Validator said{
    [](std::string& text) { return text.empty() ? std::string{"must not be empty"} : std::string{}; }, "", "not empty"};

void add_filter_options(CLI::App& command, filter_words& words) {
    auto option = [&command](const char* name, std::string& to, const char* doc, const char* type) {
        // An empty one would be none: whoever says --text "$UNSET" means something else than everything.
        command.add_option(name, to, doc)->type_name(type)->group("Filters")->check(said);
    };
    option("--text", words.text, "Only messages that hold this text", "TEXT");
    option("--regex", words.regex, "Only messages that this expression is found in (RE2)", "REGEX");
    option("--reason", words.reason, "Only dead messages whose reason holds this text", "TEXT");
    option("--older", words.older, "Only messages that died longer ago than this: 30s, 5m, 2h, 7d", "TIME");
    option("--newer", words.newer, "Only messages that died since then", "TIME");
}

std::optional<std::int64_t> read_duration(const std::string& text) {
    std::int64_t number = 0;
    const auto* end = text.data() + text.size();
    auto read = std::from_chars(text.data(), end, number);
    if (read.ec != std::errc{} || read.ptr + 1 != end || number < 0 || number > 1'000'000'000) {
        return std::nullopt;
    }
    switch (*read.ptr) {
    case 's':
        return number;
    case 'm':
        return 60 * number;
    case 'h':
        return 3600 * number;
    case 'd':
        return 86'400 * number;
    default:
        return std::nullopt;
    }
}

filter::filter(const filter_words& words)
    : words_{words} {
    if (!words.regex.empty()) {
        re2::RE2::Options how;
        how.set_log_errors(false);
        how.set_encoding(re2::RE2::Options::EncodingLatin1); // messages are bytes
        regex_ = std::make_unique<re2::RE2>(words.regex, how);
        if (!regex_->ok()) {
            throw CLI::ValidationError{"--regex", regex_->error()};
        }
    }
    if (!words.older.empty()) {
        older_ = seconds_of("--older", words.older);
    }
    if (!words.newer.empty()) {
        newer_ = seconds_of("--newer", words.newer);
    }
}

filter::~filter() = default;

bool filter::any() const {
    return !words_.text.empty() || regex_ || !words_.reason.empty() || by_age();
}

bool filter::matches(const std::string& message, const std::string& story, std::int64_t now) const {
    if (!words_.text.empty() && message.find(words_.text) == std::string::npos) {
        return false;
    }
    if (regex_ && !re2::RE2::PartialMatch(message, *regex_)) {
        return false;
    }
    if (words_.reason.empty() && !by_age()) {
        return true;
    }
    auto known = inspect::read_details(story);
    if (!words_.reason.empty() && inspect::text_of(known, "reason").find(words_.reason) == std::string::npos) {
        return false;
    }
    if (!by_age()) {
        return true;
    }
    auto age = inspect::age_of(known, now);
    return age >= 0 && (!older_ || age > *older_) && (!newer_ || age <= *newer_);
}

} // namespace leat::cli
