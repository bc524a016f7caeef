#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace leat::config {

// Where a value was written. Lines and columns count from 1, columns in characters. A value that no file holds has line
// 0 and its origin as the file: a flag's name, an environment variable.
struct position {
    std::string file;
    int line = 0;
    int column = 0;
    bool operator==(const position&) const = default;
};

std::string to_string(const position& at);

enum class value_shape { null, boolean, whole, number, text, list, map };

// How a scalar was written decides what it may be read as.
enum class scalar_style {
    exact, // quoted in YAML, or a JSON literal: it is what it is
    plain, // an unquoted YAML scalar: typed by its look; its text is kept, so that a text setting can take `5`
    loose  // text through ${VAR}, a flag or the environment: may be read as any scalar
};

// One value of a configuration, with its position. Reading is in two steps: the file gives a tree of these, whose
// shapes follow from the syntax alone; then a spec reads each as the type that its setting has, by the to_* functions.
class value {
public:
    struct entry;

    value() = default;
    static value null(position where = {});
    static value of_boolean(bool content, position where = {});
    static value of_whole(std::int64_t content, position where = {});
    static value of_number(double content, position where = {});
    static value of_text(std::string content, position where = {}, scalar_style style = scalar_style::exact);
    static value of_list();
    static value of_list(std::vector<value> content, position where = {});
    static value of_map();
    static value of_map(std::vector<entry> content, position where = {});
    static value of_texts(const std::vector<std::string>& content, position where = {});
    // An unquoted YAML scalar: only `true` and `false` are booleans, numbers are decimal, an empty one, `~` and `null`
    // are null; all else is text (`yes`, `0x10`, `1_000`, `.inf`).
    static value of_plain(std::string raw, position where = {});

    value_shape shape() const;
    scalar_style style() const { return style_; }
    const position& where() const { return where_; }
    bool is_null() const { return shape() == value_shape::null; }
    bool is_text() const { return shape() == value_shape::text; }
    bool is_list() const { return shape() == value_shape::list; }
    bool is_map() const { return shape() == value_shape::map; }

    // The content by its shape; another shape is a mistake of the caller and throws.
    bool boolean() const;
    std::int64_t whole() const;
    double number() const;
    const std::string& text() const;
    const std::vector<value>& items() const&;
    const std::vector<entry>& entries() const&;
    void items() && = delete; // a loop over what a temporary holds would outlive it
    void entries() && = delete;

    // The content as a type that a setting has, where the way it was written allows that.
    std::optional<bool> to_boolean() const;
    std::optional<std::int64_t> to_whole() const;
    std::optional<double> to_number() const;
    std::optional<std::string> to_text() const;

    // As it was written, for numbers of a file; else empty.
    const std::string& raw() const { return raw_; }

    // Of a map; every other shape has no keys.
    const value* find(std::string_view key) const;
    const entry* find_entry(std::string_view key) const;
    // Replaces or appends; a null becomes a map.
    void set(std::string_view key, value content);
    void erase(std::string_view key);

    // A number with the digits that the file has, of a JSON or JavaScript literal.
    static value of_digits(std::string raw, position where);

private:
    static value look(std::string_view raw);

    std::variant<std::monostate, bool, std::int64_t, double, std::string, std::vector<value>, std::vector<entry>>
        content_;
    std::string raw_;
    position where_;
    scalar_style style_ = scalar_style::exact;
};

struct value::entry {
    std::string key;
    position key_position;
    config::value value;
};

// Whether two values say the same, wherever and however they were written.
bool same_content(const value& one, const value& other);

// How large a value is, itself counted: its values, the bytes of its texts and keys, and how deep lists and maps stand
// in each other.
struct extent {
    std::size_t values = 1;
    std::size_t bytes = 0;
    std::size_t depth = 0;
};
extent extent_of(const value& content);

// For people: `text "x"`, `5`, `a list`. Long text is cut.
std::string describe(const value& content);

} // namespace leat::config
