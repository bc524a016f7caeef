#pragma once

#include <filesystem>
#include <string>

namespace leat::tests {

// A folder that is gone with its object. Under /tmp, because a unix socket's path is short.
class temp_folder {
public:
    temp_folder();
    temp_folder(const temp_folder&) = delete;
    temp_folder& operator=(const temp_folder&) = delete;
    ~temp_folder();

    std::string path() const { return path_.string(); }
    std::string file(const std::string& name) const { return (path_ / name).string(); }

private:
    std::filesystem::path path_;
};

} // namespace leat::tests
