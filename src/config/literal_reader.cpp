#include "config/literal_reader.hpp"

#include "config/interpolate.hpp"
#include "config/literal_scanner.hpp"

#include <spdlog/fmt/fmt.h>

#include <map>

namespace leat::config {

namespace {

class literal_parser {
public:
    literal_parser(const source& from, bool relaxed, const environment& env, problems& found)
        : scan_{from, relaxed}
        , env_{env}
        , found_{found} {}

    value document() {
        scan_.skip_blanks();
        if (scan_.relaxed()) {
            skip_export();
        }
        auto made = any(0);
        scan_.skip_blanks();
        while (scan_.relaxed() && scan_.skip(';')) {
        }
        if (!scan_.at_end()) {
            scan_.fail(fmt::format("expected the end of the file, found {}", scan_.found()));
        }
        return made;
    }

private:
    void skip_export() {
        if (scan_.at_text() && scan_.text() == "use strict") {
            scan_.skip_blanks();
            scan_.skip(';');
        }
        for (const auto* words : {"module.exports =", "exports.default =", "export default"}) {
            if (scan_.skip_words(words)) {
                return;
            }
        }
        scan_.fail(
            fmt::format("only `module.exports = {{ ... }};` with a literal is allowed here, found {}", scan_.found()));
    }

    value any(std::size_t depth) {
        auto where = scan_.here();
        grown_.add(1, 0, where);
        if (scan_.peek() == '{' || scan_.peek() == '[') {
            if (depth >= most_depth) {
                scan_.fail(fmt::format("is nested more than {} levels deep", most_depth));
            }
            return scan_.peek() == '{' ? map(where, depth + 1) : list(where, depth + 1);
        }
        if (scan_.at_text()) {
            auto made = interpolated(scan_.text(), where, scalar_style::exact, env_, found_);
            grown_.add(0, extent_of(made).bytes, where);
            return made;
        }
        if (auto digits = scan_.number(); !digits.empty()) {
            return value::of_digits(std::string{digits}, where);
        }
        return word(where);
    }

    value word(const position& where) {
        auto found = scan_.found();
        auto start = scan_.offset();
        auto name = scan_.name();
        if (name == "true" || name == "false") {
            return value::of_boolean(name == "true", where);
        }
        if (name == "null" || (scan_.relaxed() && name == "undefined")) {
            return value::null(where);
        }
        scan_.fail(
            start, scan_.relaxed() ? fmt::format("only a literal is allowed here, found {}", found)
                                   : fmt::format("expected a JSON value, found {}", found));
    }

    value list(const position& where, std::size_t depth) {
        std::vector<value> items;
        scan_.skip('[');
        while (another(']', !items.empty())) {
            items.push_back(any(depth));
            scan_.skip_blanks();
        }
        return value::of_list(std::move(items), where);
    }

    value map(const position& where, std::size_t depth) {
        std::vector<value::entry> entries;
        std::map<std::string, position> keys;
        scan_.skip('{');
        while (another('}', !entries.empty())) {
            auto key_position = scan_.here();
            auto name = key();
            auto [known, added] = keys.try_emplace(name, key_position);
            if (!added) {
                found_.error(key_position, fmt::format("{} is set twice; first at {}", name, to_string(known->second)));
            }
            scan_.skip_blanks();
            if (!scan_.skip(':')) {
                scan_.fail(fmt::format("expected `:` after the key {}, found {}", name, scan_.found()));
            }
            entries.push_back({name, key_position, any(depth)});
            scan_.skip_blanks();
        }
        return value::of_map(std::move(entries), where);
    }

    std::string key() {
        if (scan_.at_text()) {
            return scan_.text();
        }
        auto found = scan_.found();
        auto start = scan_.offset();
        auto name = scan_.relaxed() ? scan_.name() : std::string_view{};
        if (name.empty() || name.find('.') != std::string_view::npos) {
            scan_.fail(
                start, fmt::format("expected a key{}, found {}", scan_.relaxed() ? "" : " in double quotes", found));
        }
        return std::string{name};
    }

    // Between the items of a list or map: past the comma, or past the end and false.
    bool another(char closing, bool after_item) {
        if (scan_.skip(closing)) {
            return false;
        }
        if (!after_item) {
            return true;
        }
        auto comma = scan_.offset();
        if (!scan_.skip(',')) {
            scan_.fail(fmt::format("expected `,` or `{}`, found {}", closing, scan_.found()));
        }
        if (scan_.peek() == closing && !scan_.relaxed()) {
            scan_.fail(comma, "JSON has no comma after the last item");
        }
        return !scan_.skip(closing);
    }

    literal_scanner scan_;
    const environment& env_;
    problems& found_;
    growth grown_;
};

} // namespace

value read_literal(const source& from, syntax form, const environment& env, problems& found) {
    return literal_parser{from, form == syntax::js, env, found}.document();
}

} // namespace leat::config
