#include "cpp_text.hpp"

#include <openssl/sha.h>

#include <array>
#include <set>
#include <string_view>

namespace embed_scripts {
namespace {

std::string sha1_of(const std::string& text) {
    std::array<unsigned char, SHA_DIGEST_LENGTH> digest{};
    // SHA1 is what EVALSHA names scripts by; nothing here depends on its strength.
    SHA1(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
    std::string hex;
    for (auto byte : digest) {
        constexpr std::string_view digits = "0123456789abcdef";
        hex += digits[byte >> 4];
        hex += digits[byte & 15];
    }
    return hex;
}

std::string cpp_type(const word& of) {
    if (of.tag == "keys" || of.tag == "args" || of.type == "texts") {
        return "std::vector<std::string>";
    }
    if (of.type == "wholes") {
        return "std::vector<std::int64_t>";
    }
    if (of.tag == "rows" || of.tag == "arg_rows") {
        return "std::vector<" + of.type + ">";
    }
    if (of.tag == "outcome") {
        return of.type;
    }
    if (of.type == "flag") {
        return "bool";
    }
    return of.type == "whole" || of.type == "digits" ? "std::int64_t" : "std::string";
}

std::string member(const std::string& type, const std::string& name, const std::string& doc) {
    auto start = type == "std::int64_t" ? " = 0" : type == "bool" ? " = false" : type.starts_with("std::") ? "" : "{}";
    return "    " + type + " " + name + start + ";" + (doc.empty() ? "" : " // " + doc) + "\n";
}

// What the caller sets itself, of those in this table.
std::string members(const std::vector<word>& words, const std::string& table) {
    std::string out;
    for (const auto& each : words) {
        if (each.object.empty() && each.table == table) {
            out += member(cpp_type(each), each.name, each.doc);
        }
    }
    return out;
}

std::string members_of_call(const script& from, const std::string& table) {
    std::string out;
    for (const auto& each : from.objects) {
        if (each.table == table) {
            out += "    " + each.type + " " + each.name + ";\n";
        }
    }
    if (table.empty()) {
        for (const auto& each : from.blocks) {
            out += "    " + each.type + " " + each.name + ";\n";
        }
    }
    return out + members(from.keys, table) + members(from.arguments, table);
}

// An expression that makes text of a value.
std::string as_text(const std::string& type, const std::string& value) {
    return type == "flag"                        ? "(" + value + " ? \"1\" : \"0\")"
           : type == "whole" || type == "digits" ? "std::to_string(" + value + ")"
                                                 : "std::move(" + value + ")";
}

// Where the call has it.
std::string value_of(const word& of) {
    auto path = "given." + (of.table.empty() ? "" : of.table + ".");
    if (!of.object.empty()) {
        return path + of.object + "." + of.name + "(" + (of.given.empty() ? "" : "given." + of.given) + ")";
    }
    return as_text(of.type, path + of.name);
}

std::string write_list(const word& of, const std::string& into) {
    auto list = "given." + (of.table.empty() ? "" : of.table + ".") + of.name;
    return "    for (auto& each : " + list + ") {\n        " + into + ".push_back(std::move(each));\n    }\n";
}

std::string write_rows(const word& of) {
    std::string out = "    for (auto& row : given." + of.name + ") {\n";
    for (const auto& each : of.columns) {
        if (each.type == "texts") {
            out += "        made.arguments.push_back(std::to_string(row." + each.name +
                   ".size()));\n        for (auto& each : row." + each.name +
                   ") {\n            made.arguments.push_back(std::move(each));\n        }\n";
        } else {
            out += "        made.arguments.push_back(" + as_text(each.type, "row." + each.name) + ");\n";
        }
    }
    return out + "    }\n";
}

std::string read_row(const word& of) {
    std::string out = "    for (auto list = reader.list(); list.more();) {\n        " + of.type + " row;\n";
    for (const auto& each : of.columns) {
        out += "        row." + each.name + " = list." + each.type + "();\n";
    }
    return out + "        outcome." + of.name + ".push_back(std::move(row));\n    }\n";
}

std::string read_outcome(const word& of) {
    std::string names;
    for (const auto& each : of.columns) {
        names += (names.empty() ? "\"" : ", \"") + each.name + "\"";
    }
    return "    outcome." + of.name + " = static_cast<" + of.type + ">(reader.word({" + names + "}));\n";
}

std::string row_struct(const word& of) {
    std::string out = "struct " + of.type + " {\n";
    for (const auto& each : of.columns) {
        word as{.tag = "returns", .type = each.type};
        out += member(cpp_type(as), each.name, {});
    }
    return out + "    bool operator==(const " + of.type + "&) const = default;\n};\n";
}

std::string outcome_enum(const word& of) {
    std::string out = "enum class " + of.type + " : std::uint8_t {\n";
    for (const auto& each : of.columns) {
        out += "    " + each.name + ",\n";
    }
    return out + "};\n";
}

void add_type(
    const std::filesystem::path& file, const std::string& name, const std::string& text, shared_types& types) {
    auto [before, is_new] = types.emplace(name, text);
    if (!is_new && before->second != text) {
        fail(file, 1, "`" + name + "` is declared in another way by another script");
    }
}

std::string arguments_of(const std::string& name) {
    return "(redis::link& server, " + name + "_call given)";
}

} // namespace

void add_types(const std::filesystem::path& file, const script& from, shared_types& types) {
    for (const auto* words : {&from.arguments, &from.returns}) {
        for (const auto& each : *words) {
            if (each.tag == "outcome") {
                add_type(file, each.type, outcome_enum(each), types);
            } else if (!each.columns.empty()) {
                add_type(file, each.type, row_struct(each), types);
            }
        }
    }
    for (const auto& each : from.blocks) {
        add_type(file, each.type, "struct " + each.type + " {\n" + members_of_call(from, each.name) + "};\n", types);
    }
}

std::string declare(const script& from) {
    const auto& name = from.name;
    return "\nstruct " + name + "_outcome;\n// " + from.doc + "\nstruct " + name +
           "_call {\n    using outcome = " + name + "_outcome;\n" + members_of_call(from, {}) + "};\nstruct " + name +
           "_outcome {\n" + members(from.returns, {}) + "};\nextern const redis::script " + name +
           "_script;\nredis::script_call make_call(" + name +
           "_call given);\n[[nodiscard]] bool read_answer(redis::reply answer, " + name +
           "_outcome& outcome);\nboost::asio::awaitable<redis::result<" + name + "_outcome>> " + name +
           arguments_of(name) + ";\n";
}

std::string define(const script& from, const std::string& lua) {
    const auto& name = from.name;
    std::string out = "\nconst redis::script " + name + "_script{\"" + name + "\", \"" + sha1_of(lua) + "\", R\"lua(" +
                      lua + ")lua\"};\n\nredis::script_call make_call([[maybe_unused]] " + name +
                      "_call given) {\n    redis::script_call made{&" + name + "_script, {}, {}};\n";
    for (const auto& each : from.keys) {
        out +=
            each.tag == "keys" ? write_list(each, "made.keys") : "    made.keys.push_back(" + value_of(each) + ");\n";
    }
    for (const auto& each : from.arguments) {
        out += each.tag == "args"       ? write_list(each, "made.arguments")
               : each.tag == "arg_rows" ? write_rows(each)
                                        : "    made.arguments.push_back(" + value_of(each) + ");\n";
    }
    out += "    return made;\n}\n\nbool read_answer(redis::reply answer, [[maybe_unused]] " + name +
           "_outcome& outcome) {\n    answer_reader reader{std::move(answer)};\n";
    for (const auto& each : from.returns) {
        out += each.tag == "rows"      ? read_row(each)
               : each.tag == "outcome" ? read_outcome(each)
                                       : "    outcome." + each.name + " = reader." + each.type + "();\n";
    }
    return out + "    return reader.understood();\n}\n\nboost::asio::awaitable<redis::result<" + name + "_outcome>> " +
           name + arguments_of(name) + " {\n    return run_verb<" + name + "_outcome>(server, std::move(given));\n}\n";
}

} // namespace embed_scripts
