#include "config/reader.hpp"

#include "base/descriptor.hpp"
#include "base/unicode.hpp"
#include "config/literal_reader.hpp"
#include "config/source.hpp"
#include "config/yaml_reader.hpp"

#include <spdlog/fmt/fmt.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <istream>

namespace leat::config {

namespace {

std::string too_large() {
    return fmt::format("is larger than {} KiB, which no configuration is", most_bytes / 1024);
}

// The bytes of a regular file of sane size; what it is gets checked before anything is read.
std::optional<std::string> read_bytes(const std::string& path, problems& found) {
    auto refuse = [&](std::string text) {
        found.error({path}, std::move(text));
        return std::nullopt;
    };
    base::descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)}; // a fifo must not hold us up
    if (file.number < 0) {
        return refuse(errno == ENOENT ? "does not exist" : fmt::format("cannot be read: {}", std::strerror(errno)));
    }
    struct stat about{};
    if (::fstat(file.number, &about) != 0) {
        return refuse(fmt::format("cannot be read: {}", std::strerror(errno)));
    }
    if (S_ISDIR(about.st_mode)) {
        return refuse("is a folder, not a file");
    }
    if (!S_ISREG(about.st_mode)) {
        return refuse("is not a regular file");
    }
    if (static_cast<std::size_t>(about.st_size) > most_bytes) {
        return refuse(too_large());
    }
    // It may grow meanwhile, and some files do not tell their size.
    std::string bytes(most_bytes + 1, '\0');
    std::size_t filled = 0;
    while (filled < bytes.size()) {
        auto count = ::read(file.number, bytes.data() + filled, bytes.size() - filled);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0) {
            return refuse(fmt::format("cannot be read: {}", std::strerror(errno)));
        }
        if (count == 0) {
            break;
        }
        filled += static_cast<std::size_t>(count);
    }
    if (filled > most_bytes) {
        return refuse(too_large());
    }
    bytes.resize(filled);
    return bytes;
}

} // namespace

environment process_environment() {
    return [](std::string_view name) -> std::optional<std::string> {
        const char* found = std::getenv(std::string{name}.c_str());
        return found ? std::optional<std::string>{found} : std::nullopt;
    };
}

std::optional<syntax> syntax_of(std::string_view path) {
    if (path.ends_with(".yaml") || path.ends_with(".yml")) {
        return syntax::yaml;
    }
    if (path.ends_with(".json")) {
        return syntax::json;
    }
    return path.ends_with(".js") ? std::optional{syntax::js} : std::nullopt;
}

std::optional<value> read_file(const std::string& path, const environment& env, problems& found) {
    auto form = syntax_of(path);
    auto bytes = read_bytes(path, found);
    if (!bytes) {
        return std::nullopt;
    }
    if (!form) {
        found.error({path}, "has an unknown extension; known are .yaml, .yml, .json and .js");
        return std::nullopt;
    }
    return read_text(*bytes, path, *form, env, found);
}

std::optional<value> read_stream(std::istream& from, std::string name, const environment& env, problems& found) {
    std::string text(most_bytes + 1, '\0');
    from.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(from.gcount()));
    auto form = text.find("module.exports") == std::string::npos ? syntax::yaml : syntax::js; // JSON is YAML, too
    return read_text(text, std::move(name), form, env, found);
}

std::optional<value> read_text(
    std::string_view text, std::string file_name, syntax form, const environment& env, problems& found) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text.starts_with(byte_order_mark)) {
        text.remove_prefix(byte_order_mark.size());
    }
    if (text.size() > most_bytes) {
        found.error({std::move(file_name)}, too_large());
        return std::nullopt;
    }
    const source from{text, std::move(file_name)};
    if (auto nul = text.find('\0'); nul != std::string_view::npos) {
        found.error(from.at(nul), "holds a NUL byte; this is not a text file");
        return std::nullopt;
    }
    if (auto bad = base::first_bad_byte(text); bad != std::string_view::npos) {
        found.error(from.at(bad), fmt::format("byte 0x{:02x} is not UTF-8", static_cast<unsigned char>(text[bad])));
        return std::nullopt;
    }
    auto errors = found.error_count();
    try {
        auto tree = form == syntax::yaml ? read_yaml(from, env, found) : read_literal(from, form, env, found);
        return found.error_count() == errors ? std::optional{std::move(tree)} : std::nullopt;
    } catch (const syntax_error& error) {
        found.error(error.where, error.text);
        return std::nullopt;
    }
}

std::optional<value> read_folder(const std::string& path, const environment& env, problems& found) {
    std::vector<std::string> files;
    std::error_code failed;
    for (const auto& each : std::filesystem::directory_iterator{path, failed}) {
        auto name = each.path().filename().string();
        if (!name.starts_with('.') && each.is_regular_file() && syntax_of(name)) {
            files.push_back(each.path().string());
        }
    }
    if (failed || files.empty()) {
        found.error({path}, failed ? failed.message() : "is a folder without a .yaml, .json or .js file");
        return std::nullopt;
    }
    std::ranges::sort(files);
    auto errors = found.error_count();
    std::vector<value::entry> all;
    for (const auto& each : files) {
        auto content = read_file(each, env, found);
        auto stem = std::filesystem::path{each}.stem().string();
        if (std::ranges::find(all, stem, &value::entry::key) != all.end()) {
            found.error({each}, "another file of the folder has the same name but for its extension");
        } else if (content) {
            all.push_back({stem, {each, 1, 1}, std::move(*content)});
        }
    }
    return found.error_count() == errors ? std::optional{value::of_map(std::move(all), {path})} : std::nullopt;
}

} // namespace leat::config
