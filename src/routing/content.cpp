#include "routing/content.hpp"

#include "base/unicode.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/stream_parser.hpp>

namespace leat::routing {

content::content(const content& other)
    : text_{other.text_}
    , json_{other.json_ ? std::make_unique<boost::json::value>(*other.json_) : nullptr}
    , has_text_{other.has_text_}
    , is_no_json_{other.is_no_json_} {
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

const boost::json::value* content::json(std::string* why) const {
    if (!json_ && !is_no_json_) {
        boost::system::error_code wrong;
        auto parsed = boost::json::parse(text_, wrong);
        is_no_json_ = wrong.failed();
        if (!is_no_json_) {
            json_ = std::make_unique<boost::json::value>(std::move(parsed));
        }
    }
    if (!json_ && why != nullptr) {
        boost::system::error_code wrong;
        boost::json::stream_parser parser;
        auto read = parser.write_some(text_, wrong);
        if (!wrong) {
            wrong = read < text_.size() ? boost::json::error::extra_data : boost::json::error::incomplete;
        }
        *why = "not JSON at byte " + std::to_string(read) + ": " + wrong.message();
    }
    return json_.get();
}

std::string as_json(const content& given) {
    if (given.json() != nullptr) {
        return given.is_text() ? given.text() : boost::json::serialize(*given.json());
    }
    std::string readable;
    std::string_view rest{given.text()};
    while (!rest.empty()) {
        auto length = base::character_length(rest);
        readable += length == 0 ? std::string_view{"\xef\xbf\xbd"} : rest.substr(0, length);
        rest.remove_prefix(std::max<std::size_t>(1, length));
    }
    return boost::json::serialize(boost::json::string_view{readable});
}

} // namespace leat::routing
