#pragma once

#include <unistd.h>

namespace leat::base {

// A file descriptor that is closed at the end of its scope; negative when there is none.
struct descriptor {
    int number = -1;

    explicit descriptor(int opened)
        : number{opened} {}
    descriptor(const descriptor&) = delete;
    descriptor& operator=(const descriptor&) = delete;
    ~descriptor() {
        if (number >= 0) {
            ::close(number);
        }
    }
};

} // namespace leat::base
