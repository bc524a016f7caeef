#include "support/clocked_server.hpp"

#include "base/descriptor.hpp"

#include <fcntl.h>
#include <sys/mman.h>

#include <cstdlib>
#include <stdexcept>

namespace leat::tests {

clocked_server::clocked_server(const std::string& flavour) {
    auto file = folder_.path() + "/clock";
    base::descriptor opened{::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)};
    constexpr std::int64_t begins = 1'700'000'000'000'000;
    if (opened.number < 0 || ::ftruncate(opened.number, sizeof begins) != 0) {
        throw std::runtime_error{"cannot make " + file};
    }
    void* mapped = ::mmap(nullptr, sizeof begins, PROT_READ | PROT_WRITE, MAP_SHARED, opened.number, 0);
    if (mapped == MAP_FAILED) {
        throw std::runtime_error{"cannot share " + file};
    }
    micros_ = static_cast<volatile std::int64_t*>(mapped);
    *micros_ = begins;
    ::setenv("LEAT_CLOCK", file.c_str(), 1); // for the child; one thread
    ::setenv("LD_PRELOAD", LEAT_CLOCK_LIBRARY, 1);
    server_ = std::make_unique<private_server>(flavour);
    ::unsetenv("LD_PRELOAD");
    ::unsetenv("LEAT_CLOCK");
}

clocked_server::~clocked_server() {
    server_.reset();
    ::munmap(const_cast<std::int64_t*>(micros_), sizeof *micros_); // NOLINT(cppcoreguidelines-pro-type-const-cast)
}

} // namespace leat::tests
