#include "routing/content.hpp"

#include "message/envelope.hpp"
#include "message/raw_json.hpp"

#include <boost/json/serialize.hpp>
#include <boost/json/stream_parser.hpp>

namespace leat::routing {

content::content(const content& other)
    : text_{other.text_}
    , json_{other.json_ ? std::make_unique<boost::json::value>(*other.json_) : nullptr}
    , has_text_{other.has_text_}
    , is_no_json_{other.is_no_json_}
    , is_json_{other.is_json_}
    , is_value_{other.is_value_} {
}

content content::of_json(std::string text) {
    content made{std::move(text)};
    made.is_json_ = true;
    return made;
}

content& content::operator=(const content& other) {
    if (this != &other) {
        *this = content{other};
    }
    return *this;
}

const std::string& content::text() const {
    if (!has_text_) {
        text_ = json_->is_string() ? std::string{json_->get_string()} : boost::json::serialize(*json_);
        has_text_ = true;
    }
    return text_;
}

std::string content::raw_json() const {
    return is_value_ ? boost::json::serialize(*json_) : text_;
}

const boost::json::value* content::json(std::string* why) const {
    if (!json_ && !is_no_json_) {
        boost::system::error_code wrong;
        auto parsed = message::parse_json(text_, wrong);
        is_no_json_ = wrong.failed();
        if (!is_no_json_) {
            json_ = std::make_unique<boost::json::value>(std::move(parsed));
        }
    }
    if (!json_ && why != nullptr) {
        boost::system::error_code wrong;
        boost::json::parse_options deep;
        deep.max_depth = 512;
        boost::json::stream_parser parser{{}, deep};
        auto read = parser.write_some(text_, wrong);
        if (!wrong) {
            wrong = read < text_.size() ? boost::json::error::extra_data : boost::json::error::incomplete;
        }
        *why = "not JSON at byte " + std::to_string(read) + ": " + wrong.message();
    }
    return json_.get();
}

std::string as_json(const content& given) {
    return given.json() != nullptr ? given.raw_json() : message::json_text(given.text());
}

} // namespace leat::routing
