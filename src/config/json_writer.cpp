#include "base/unicode.hpp"
#include "config/write.hpp"

#include <spdlog/fmt/fmt.h>

#include <cmath>
#include <utility>

namespace leat::config {

namespace {

void text(std::string& made, std::string_view content) {
    constexpr std::string_view special = "\"\\\b\f\n\r\t";
    constexpr std::string_view letters = "\"\\bfnrt";
    made += '"';
    while (!content.empty()) {
        auto length = base::character_length(content);
        char c = content.front();
        if (length == 0) {
            made += "\\ufffd"; // JSON must be UTF-8, whatever a flag held
            length = 1;
        } else if (auto index = special.find(c); index != std::string_view::npos) {
            made += {'\\', letters[index]};
        } else if (auto code = base::character_code(content); code < 0x20 || base::is_terminal_order(code)) {
            made += fmt::format("\\u{:04x}", static_cast<unsigned>(code)); // it may be shown on a terminal
        } else {
            made += content.substr(0, length);
        }
        content.remove_prefix(length);
    }
    made += '"';
}

class json_writer {
public:
    explicit json_writer(int indent)
        : indent_{indent} {}

    void any(const value& content, int depth) {
        switch (content.shape()) {
        case value_shape::null:
            made_ += "null";
            break;
        case value_shape::boolean:
            made_ += content.boolean() ? "true" : "false";
            break;
        case value_shape::whole:
            made_ += fmt::format("{}", content.whole());
            break;
        case value_shape::number:
            made_ += std::isfinite(content.number()) ? decimal(content.number()) : "null";
            break;
        case value_shape::text:
            text(made_, content.text());
            break;
        case value_shape::list:
            list(content, depth);
            break;
        case value_shape::map:
            map(content, depth);
            break;
        }
    }

    std::string take() { return std::move(made_); }

private:
    void line(int depth) {
        if (indent_ > 0) {
            made_ += '\n';
            made_.append(static_cast<std::size_t>(depth) * static_cast<std::size_t>(indent_), ' ');
        }
    }

    void list(const value& content, int depth) {
        made_ += '[';
        const auto* comma = "";
        for (const auto& item : content.items()) {
            made_ += std::exchange(comma, ",");
            line(depth + 1);
            any(item, depth + 1);
        }
        if (!content.items().empty()) {
            line(depth);
        }
        made_ += ']';
    }

    void map(const value& content, int depth) {
        made_ += '{';
        const auto* comma = "";
        for (const auto& entry : content.entries()) {
            made_ += std::exchange(comma, ",");
            line(depth + 1);
            text(made_, entry.key);
            made_ += indent_ > 0 ? ": " : ":";
            any(entry.value, depth + 1);
        }
        if (!content.entries().empty()) {
            line(depth);
        }
        made_ += '}';
    }

    int indent_;
    std::string made_;
};

} // namespace

std::string to_json(const value& content, int indent) {
    json_writer writer{indent};
    writer.any(content, 0);
    return writer.take();
}

} // namespace leat::config
