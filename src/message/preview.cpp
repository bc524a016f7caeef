#include "message/preview.hpp"

#include "base/unicode.hpp"

#include <spdlog/fmt/fmt.h>

namespace leat::message {

std::string preview(std::string_view payload, std::size_t most) {
    auto shown = base::printable(payload, most);
    if (payload.size() > most) {
        shown += fmt::format("... ({} bytes)", payload.size());
    }
    return shown;
}

} // namespace leat::message
