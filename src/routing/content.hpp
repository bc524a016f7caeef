#pragma once

#include <boost/json/value.hpp>

#include <memory>
#include <string>

namespace leat::routing {

// A message, or a reply, on its way: bytes, JSON, or both; the one is made from the other when somebody asks for it.
class content {
public:
    content() = default;
    explicit content(std::string text)
        : text_{std::move(text)} {}
    explicit content(boost::json::value parsed)
        : json_{std::make_unique<boost::json::value>(std::move(parsed))}
        , has_text_{false}
        , is_json_{true}
        , is_value_{true} {}
    // JSON as it was written.
    static content of_json(std::string text);
    content(const content& other);
    content(content&&) = default;
    content& operator=(const content& other);
    content& operator=(content&&) = default;
    ~content() = default;

    // As it goes into a list: a JSON string as its text, other JSON as JSON.
    const std::string& text() const;
    // Nothing when it is not JSON; `why` says where.
    const boost::json::value* json(std::string* why = nullptr) const;
    std::string raw_json() const;             // of what is JSON: as it was written
    bool is_json() const { return is_json_; } // it came as JSON; what came as text may be, too
    bool is_null() const { return is_json_ && (is_value_ ? json_->is_null() : text_ == "null"); }

private:
    mutable std::string text_;
    mutable std::unique_ptr<boost::json::value> json_;
    mutable bool has_text_ = true;
    mutable bool is_no_json_ = false;
    bool is_json_ = false;
    bool is_value_ = false; // it came as a value: its text was made by us
};

// JSON as it is, other text as a JSON text; what is not UTF-8 with the strange bytes as U+FFFD.
std::string as_json(const content& given);

} // namespace leat::routing
