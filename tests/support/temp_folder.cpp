#include "support/temp_folder.hpp"

#include <cstdlib>
#include <stdexcept>

namespace leat::tests {

temp_folder::temp_folder() {
    std::string name = "/tmp/leat-test-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) {
        throw std::runtime_error{"cannot make a folder under /tmp"};
    }
    path_ = name;
}

temp_folder::~temp_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

} // namespace leat::tests
