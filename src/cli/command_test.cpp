#include "base/shown.hpp"
#include "base/unicode.hpp"
#include "cli/load.hpp"
#include "cli/table.hpp"
#include "cli/visit.hpp"
#include "config/reader.hpp"
#include "config/write.hpp"
#include "routing/route_test.hpp"
#include "runtime/embedded_server.hpp"

#include <cstdlib>
#include <filesystem>
#include <iostream>

namespace leat::cli {
namespace {

using base::shown_name;

struct test_words {
    std::vector<std::string> files;
    std::string only;
    bool json = false;
};

// A private server for the cases that need one, started when the first of them comes.
class test_server {
public:
    ~test_server() {
        server_.reset();
        if (!folder_.empty()) {
            std::error_code ignored;
            std::filesystem::remove_all(folder_, ignored);
        }
    }

    // Empty, as each case wants it.
    std::string url() {
        if (!server_) {
            auto pattern = (std::filesystem::temp_directory_path() / "leat-test-XXXXXX").string();
            if (::mkdtemp(pattern.data()) == nullptr) {
                throw std::runtime_error{"no folder can be made for a server of the tests"};
            }
            folder_ = pattern;
            server_.emplace(runtime::embedded_server::options{.folder = folder_, .arguments = {}, .program = {}});
        }
        visit(server_->url(), [](redis::link& server) { return flush(server); });
        return server_->url();
    }

private:
    static boost::asio::awaitable<void> flush(redis::link& server) {
        redis::command words{"FLUSHALL"};
        co_await server.call(std::move(words));
    }

    std::string folder_;
    std::optional<runtime::embedded_server> server_;
};

struct totals {
    std::size_t passed = 0;
    std::size_t failed = 0;
    std::vector<config::value> rows;
};

void run_cases(
    const std::string& file, const std::vector<routing::route_case>& cases, const routing::router_settings& settings,
    const test_words& words, test_server& server, totals& seen) {
    for (const auto& each : cases) {
        if (!words.only.empty() && each.name.find(words.only) == std::string::npos) {
            continue;
        }
        auto told = routing::run_route_case(
            each, settings, all_processors(),
            routing::needs_redis(each, settings, all_processors()) ? server.url() : std::string{});
        ++(told.empty() ? seen.passed : seen.failed);
        if (words.json) {
            auto row = config::value::of_map();
            row.set("file", config::value::of_text(file));
            row.set("line", config::value::of_whole(each.where.line));
            row.set("name", config::value::of_text(each.name));
            row.set("passed", config::value::of_boolean(told.empty()));
            row.set("differences", config::value::of_texts(told));
            seen.rows.push_back(std::move(row));
            continue;
        }
        std::cout << (told.empty() ? "ok    " : "FAILED ") << shown_name(each.name) << "\n";
        for (const auto& line : told) {
            std::cout << "  " << config::to_string(each.where) << ": " << base::printable_lines(line) << "\n";
        }
    }
}

void test_file(
    const program& shared, const std::string& file, const test_words& words, test_server& server, totals& seen,
    config::problems& found) {
    config::value tests;
    auto services = load_files(shared, {file}, "", found, &tests);
    check(shared, services, found);
    if (found.any_errors()) {
        return;
    }
    if (services.size() != 1 || services.front().spec->name() != "router") {
        found.error({.file = file}, "tests are run for files of one router");
        return;
    }
    if (tests.is_null()) {
        found.error({.file = file}, "the file has no `tests`");
        return;
    }
    auto settings = routing::router_spec(all_processors()).read(services.front().settings, found).value();
    auto cases = routing::read_route_cases(tests, settings, all_processors(), found);
    if (!found.any_errors()) {
        run_cases(file, cases, settings, words, server, seen);
    }
}

void test(program& shared, const test_words& words) {
    base::set_log_level("error");
    config::problems found;
    test_server server;
    totals seen;
    for (const auto& file : words.files) {
        test_file(shared, file, words, server, seen, found);
    }
    print(found);
    if (words.json) {
        std::cout << config::to_json(config::value::of_list(std::move(seen.rows))) << "\n";
    } else if (!found.any_errors()) {
        std::cout << seen.passed << " passed, " << seen.failed << " failed\n";
    }
    shared.exit = found.any_errors() ? runtime::exit_code::usage
                  : seen.failed > 0  ? runtime::exit_code::failed
                                     : runtime::exit_code::asked;
}

} // namespace

void add_test(CLI::App& app, program& shared) {
    auto words = std::make_shared<test_words>();
    auto* command = app.add_subcommand("test", "Run the tests that a file of routes has for itself");
    command->footer("A test gives a message to an importer and says what must come of it:\n\n"
                    "  tests:\n"
                    "  - name: too many are refused\n"
                    "    before: [one]                                     messages that come first\n"
                    "    given: two                                        text as it is, other YAML as JSON\n"
                    "    overrides: {RateLimitFilter.singleton: {limit: 1}}\n"
                    "    answers: {RedisExporter.singleton: {reply: ok}}   or error: {name, message}, or silent: true\n"
                    "    expect: {error: {name: LimitExceeded}}            or reply, or outs: {queue: [messages]}\n\n"
                    "Where a processor needs Redis and no answer stands for it, a private server is started. Exit code "
                    "1 when a test\n"
                    "fails, 2 when a file is wrong.");
    command->add_option("FILE", words->files, "Files, or folders, of routers with `tests`")->required();
    command->add_option("--only", words->only, "Only tests whose name holds this text")->type_name("TEXT");
    command->add_flag("--json", words->json, "The results as a JSON list");
    command->callback([&shared, words] { test(shared, *words); });
}

} // namespace leat::cli
