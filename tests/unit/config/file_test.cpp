#include "reading.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>

namespace leat::config {

using testing::ElementsAre;

class file_reader : public testing::Test {
protected:
    file_reader() {
        std::string pattern = (std::filesystem::temp_directory_path() / "leat-config-XXXXXX").string();
        folder_ = ::mkdtemp(pattern.data());
    }
    ~file_reader() override { std::filesystem::remove_all(folder_); }

    std::string path(const std::string& name) const { return (folder_ / name).string(); }
    std::string write(const std::string& name, std::string_view bytes) const {
        std::ofstream{path(name), std::ios::binary} << bytes;
        return path(name);
    }
    static reading read(const std::string& path) {
        problems found;
        auto tree = read_file(path, variables({}), found);
        return {std::move(tree), lines_of(found)};
    }

    std::filesystem::path folder_;
};

TEST_F(file_reader, takes_the_syntax_from_the_extension) {
    EXPECT_EQ(read(write("a.yaml", "a: 1")).json(), R"({"a":1})");
    EXPECT_EQ(read(write("a.yml", "a: 1")).json(), R"({"a":1})");
    EXPECT_EQ(read(write("a.json", R"({"a": 1})")).json(), R"({"a":1})");
    EXPECT_EQ(read(write("a.js", "module.exports = {a: 1};")).json(), R"({"a":1})");
    auto odd = write("a.toml", "a = 1");
    EXPECT_THAT(
        read(odd).lines, ElementsAre(odd + ": error: has an unknown extension; known are .yaml, .yml, .json and .js"));
}

TEST_F(file_reader, refuses_what_is_not_a_readable_file) {
    EXPECT_THAT(read(path("no.yaml")).lines, ElementsAre(path("no.yaml") + ": error: does not exist"));
    std::filesystem::create_directory(path("d.yaml"));
    EXPECT_THAT(read(path("d.yaml")).lines, ElementsAre(path("d.yaml") + ": error: is a folder, not a file"));
    ASSERT_EQ(::mkfifo(path("fifo.yaml").c_str(), 0600), 0);
    EXPECT_THAT(read(path("fifo.yaml")).lines, ElementsAre(path("fifo.yaml") + ": error: is not a regular file"));
    auto under = write("plain", "") + "/x.yaml";
    EXPECT_THAT(read(under).lines, ElementsAre(under + ": error: cannot be read: Not a directory"));
    if (::geteuid() != 0) {
        auto closed = write("closed.yaml", "a: 1");
        ASSERT_EQ(::chmod(closed.c_str(), 0), 0);
        EXPECT_THAT(read(closed).lines, ElementsAre(closed + ": error: cannot be read: Permission denied"));
    }
}

TEST_F(file_reader, refuses_a_huge_file_without_reading_it) {
    auto huge = write("huge.yaml", "");
    ASSERT_EQ(::truncate(huge.c_str(), 1L << 30), 0);
    auto start = std::chrono::steady_clock::now();
    EXPECT_THAT(read(huge).lines, ElementsAre(huge + ": error: is larger than 1024 KiB, which no configuration is"));
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds{100});
    EXPECT_TRUE(read(write("full.yaml", "a: 1\n" + std::string(most_bytes - 5, '#'))).tree);
    EXPECT_FALSE(read(write("over.yaml", "a: 1\n" + std::string(most_bytes - 4, '#'))).tree);
}

TEST_F(file_reader, names_the_first_byte_that_is_not_text) {
    using namespace std::string_literals;
    auto binary = write("b.yaml", "a: 1\nb: \xC3\xA4\xFF\n");
    EXPECT_THAT(read(binary).lines, ElementsAre(binary + ":2:5: error: byte 0xff is not UTF-8"));
    auto nul = write("n.yaml", "a: \0\n"s);
    EXPECT_THAT(read(nul).lines, ElementsAre(nul + ":1:4: error: holds a NUL byte; this is not a text file"));
    for (const auto* bad :
         {"\xC0\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82", "\x80", "\xF8\x88\x80\x80\x80"}) {
        EXPECT_FALSE(read(write("u.json", "\""s + bad + "\"")).tree) << testing::PrintToString(bad);
    }
}

TEST_F(file_reader, ignores_a_byte_order_mark) {
    auto marked = read(write(
        "m.yaml", "\xEF\xBB\xBF"
                  "a: 1\n"));
    ASSERT_TRUE(marked.tree);
    EXPECT_EQ(marked.tree->entries()[0].key_position.column, 1);
    EXPECT_EQ(read(write("m.json", "\xEF\xBB\xBF{}")).json(), "{}");
}

TEST_F(file_reader, reads_the_process_environment) {
    ::setenv("LEAT_CONFIG_TEST", "x", 1);
    EXPECT_EQ(process_environment()("LEAT_CONFIG_TEST"), "x");
    ::unsetenv("LEAT_CONFIG_TEST");
    EXPECT_EQ(process_environment()("LEAT_CONFIG_TEST"), std::nullopt);
}

} // namespace leat::config
