#include "cpp_text.hpp"

#include <openssl/sha.h>

#include <array>
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
    if (of.type == "whole") {
        return "std::int64_t";
    }
    return of.type == "keys" || of.type == "args" || of.type == "texts" ? "std::vector<std::string>" : "std::string";
}

std::string members(const std::vector<word>& words) {
    std::string out;
    for (const auto& each : words) {
        out += "    " + cpp_type(each) + " " + each.name + (each.type == "whole" ? " = 0" : "") + "; // " + each.doc +
               "\n";
    }
    return out;
}

} // namespace

std::string declare(const script& from) {
    auto call = from.name + "_call";
    auto outcome = from.name + "_outcome";
    return "\n// " + from.doc + "\nstruct " + call + " {\n" + members(from.keys) + members(from.arguments) +
           "};\nstruct " + outcome + " {\n" + members(from.returns) + "};\nextern const redis::script " + from.name +
           "_script;\nredis::script_call make_call(" + call +
           " given);\nvoid read_answer(const redis::reply& answer, " + outcome +
           "& outcome);\nboost::asio::awaitable<redis::result<" + outcome + ">> " + from.name +
           "(redis::link& server, " + call + " given);\n";
}

std::string define(const script& from, const std::string& lua) {
    std::string out = "\nconst redis::script " + from.name + "_script{\"" + from.name + "\", \"" + sha1_of(lua) +
                      "\", R\"lua(" + lua + ")lua\"};\n\nredis::script_call make_call(" + from.name +
                      "_call given) {\n    redis::script_call made{&" + from.name + "_script, {}, {}};\n";
    for (const auto& key : from.keys) {
        out += key.type == "keys" ? "    for (auto& each : given." + key.name +
                                        ") {\n        made.keys.push_back(std::move(each));\n    }\n"
                                  : "    made.keys.push_back(std::move(given." + key.name + "));\n";
    }
    for (const auto& argument : from.arguments) {
        if (argument.type == "args") {
            out += "    for (auto& each : given." + argument.name +
                   ") {\n        made.arguments.push_back(std::move(each));\n    }\n";
        } else if (argument.type == "whole") {
            out += "    made.arguments.push_back(std::to_string(given." + argument.name + "));\n";
        } else {
            out += "    made.arguments.push_back(std::move(given." + argument.name + "));\n";
        }
    }
    out += "    return made;\n}\n\nvoid read_answer([[maybe_unused]] const redis::reply& answer, [[maybe_unused]] " +
           from.name + "_outcome& outcome) {\n    auto wholes = answer.wholes();\n";
    int n = 0;
    for (const auto& each : from.returns) {
        if (each.type == "whole") {
            auto index = std::to_string(n++);
            out += "    outcome." + each.name + " = wholes.size() > " + index + " ? wholes[" + index + "] : 0;\n";
        } else {
            out += "    for (auto text : answer.texts()) {\n        outcome." + each.name +
                   ".emplace_back(text);\n    }\n";
        }
    }
    return out + "}\n\nboost::asio::awaitable<redis::result<" + from.name + "_outcome>> " + from.name +
           "(redis::link& server, " + from.name + "_call given) {\n    return run_verb<" + from.name +
           "_outcome>(server, std::move(given));\n}\n";
}

} // namespace embed_scripts
