#pragma once

#include <boost/json/value.hpp>
#include <boost/system/error_code.hpp>

#include <string_view>

namespace leat::message {

// JSON as deep as people write it; the parser's own bound of 32 is too low for that.
boost::json::value parse_json(std::string_view text, boost::system::error_code& wrong);

// Likewise, but of a large object only what is small is made a value: a long member is null, whatever it is, and
// `raw_member` has its text. A tree of values takes thirty times the memory of a text with many.
boost::json::value parse_outline(std::string_view text, boost::system::error_code& wrong);

// The text of a member of an object, as it was written: digits that no number type holds stay as they are. Of a member
// that is there twice the last, as the parser has it. `object` must be valid JSON; empty when there is no such member.
std::string_view raw_member(std::string_view object, std::string_view key);

} // namespace leat::message
