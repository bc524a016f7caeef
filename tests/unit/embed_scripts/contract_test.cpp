// What the generator makes of a contract, in Lua and in C++.
#include "embed_scripts/contract.hpp"
#include "embed_scripts/cpp_text.hpp"
#include "embed_scripts/lua_text.hpp"
#include "support/temp_folder.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

namespace leat::tests {
namespace {

using testing::HasSubstr;
using testing::Not;

class contract : public testing::Test {
protected:
    void write(const std::string& name, const std::string& text) {
        std::filesystem::create_directories(std::filesystem::path{folder.file(name)}.parent_path());
        std::ofstream{folder.file(name)} << text;
    }
    // Of a script with these lines.
    void read(const std::string& lines) {
        write("verb.lua", "#!lua\n--- @doc It does.\n" + lines);
        auto script = embed_scripts::read_script(folder.file("verb.lua"));
        lua = embed_scripts::lua_text(folder.path(), script);
        embed_scripts::shared_types shared;
        embed_scripts::add_types(folder.file("verb.lua"), script, shared);
        for (const auto& [name, text] : shared) {
            types += text;
        }
        header = embed_scripts::declare(script);
        source = embed_scripts::define(script, lua);
    }

    temp_folder folder;
    std::string lua;
    std::string types;
    std::string header;
    std::string source;
};

TEST_F(contract, a_flag_is_a_bool_on_both_sides) {
    read("--- @arg flag kept TEXT\n--- @returns flag more TEXT\nreturn {kept and 1 or 0}\n");
    EXPECT_THAT(lua, HasSubstr("ARGV[1] == '1'"));
    EXPECT_THAT(header, HasSubstr("bool kept = false;"));
    EXPECT_THAT(header, HasSubstr("bool more = false;"));
    EXPECT_THAT(source, HasSubstr(R"(made.arguments.push_back((given.kept ? "1" : "0"));)"));
    EXPECT_THAT(source, HasSubstr("outcome.more = reader.flag();"));
}

TEST_F(contract, a_column_may_be_a_flag) {
    read("--- @arg_rows judged_one judged (text digest, flag meant)\n--- @rows seen_one seen (text name, flag gone)\n"
         "return {judged}\n");
    EXPECT_THAT(types, HasSubstr("struct judged_one {\n    std::string digest;\n    bool meant = false;\n"));
    EXPECT_THAT(source, HasSubstr(R"(made.arguments.push_back((row.meant ? "1" : "0"));)"));
    EXPECT_THAT(source, HasSubstr("row.gone = list.flag();"));
}

TEST_F(contract, a_flag_in_the_table_of_a_block_is_one) {
    write("contract/rules.lua", "--- @key pending TEXT\n--- @arg flag strict TEXT\n");
    write("contract/items.lua", "--- @block rules as given\n--- @args items TEXT\n");
    read("--- @block items\nreturn {tostring(given), tostring(given), #items}\n");
    EXPECT_THAT(lua, HasSubstr("local given = {pending = KEYS[1], strict = ARGV[1] == '1'}"));
    EXPECT_THAT(
        types, HasSubstr("struct rules {\n    std::string pending; // TEXT\n    bool strict = false; // TEXT\n"));
    EXPECT_THAT(header, HasSubstr("rules given;"));
    EXPECT_THAT(header, Not(HasSubstr("strict")));
    EXPECT_THAT(source, HasSubstr(R"((given.given.strict ? "1" : "0"))"));
}

TEST_F(contract, a_call_names_its_outcome) {
    read("return {}\n");
    EXPECT_THAT(header, HasSubstr("struct verb_outcome;\n"));
    EXPECT_THAT(header, HasSubstr("using outcome = verb_outcome;"));
}

} // namespace
} // namespace leat::tests
