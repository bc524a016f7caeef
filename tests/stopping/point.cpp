// For a leat that dies on the way: LEAT_DIES_AT=after_decide:3 kills it, as by kill -9, when it passes that point for
// the third time. LEAT_STOPS_AT does it with SIGSTOP.
#include "base/point.hpp"

#include <csignal>
#include <cstdlib>
#include <string>

namespace leat::base {
namespace {

struct appointment {
    std::string point;
    int times = 0;

    explicit appointment(const char* variable) {
        if (const char* given = std::getenv(variable)) {
            std::string text{given};
            auto colon = text.find(':');
            point = text.substr(0, colon);
            times = colon == std::string::npos ? 1 : std::stoi(text.substr(colon + 1));
        }
    }
    bool is_now(std::string_view reached) { return reached == point && --times == 0; }
};

} // namespace

void reached(std::string_view point) {
    static appointment death{"LEAT_DIES_AT"};
    static appointment stop{"LEAT_STOPS_AT"};
    if (death.is_now(point)) {
        std::raise(SIGKILL);
    }
    if (stop.is_now(point)) {
        std::raise(SIGSTOP);
    }
}

} // namespace leat::base
