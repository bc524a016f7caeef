#include "cli/demo/delivery.hpp"

#include "message/raw_json.hpp"

#include <boost/json/object.hpp>

#include <chrono>
#include <exception>

namespace leat::cli {

bool demo_delivery::is_late() const {
    auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(now).count() >= deadline;
}

std::optional<demo_delivery> read_demo_delivery(std::string_view text) {
    boost::system::error_code wrong;
    auto read = message::parse_json(text, wrong);
    if (wrong) {
        return std::nullopt;
    }
    try {
        const auto& map = read.as_object();
        return demo_delivery{
            std::string{map.at("requestId").as_string()}, std::string{map.at("responseId").as_string()},
            map.at("fence").to_number<std::int64_t>(), map.at("deadline").to_number<std::int64_t>(),
            map.at("attempt").to_number<std::int64_t>()};
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

} // namespace leat::cli
