// man: the manual page, made from the same declarations that parse the command line.
#include "cli/command_words.hpp"
#include "cli/program.hpp"

#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>

#include <iostream>

namespace leat::cli {
namespace {

// What roff would take for its own is escaped; `words` are bold.
std::string roff(const std::string& text) {
    std::string made;
    bool bold = false;
    bool at_start = true;
    for (char each : text) {
        if (each == '`') {
            bold = !bold;
            made += bold ? "\\fB" : "\\fR";
        } else if (each == '\\') {
            made += "\\e";
        } else if (each == '-') {
            made += "\\-";
        } else if ((each == '.' || each == '\'') && at_start) {
            made += "\\&";
            made += each;
        } else {
            made += each;
        }
        at_start = each == '\n';
    }
    return bold ? made + "\\fR" : made;
}

std::string synopsis(const command_words& command) {
    std::string made = fmt::format("\\fBleat {}\\fR", roff(fmt::format("{}", fmt::join(command.path, " "))));
    for (const auto& each : command.arguments) {
        made += " \\fI" + roff(each.names.front()) + "\\fR";
    }
    return command.options.empty() ? made : made + " [\\fIoption\\fR ...]";
}

void print_option(const option_words& option) {
    std::vector<std::string> names;
    names.reserve(option.names.size());
    for (const auto& each : option.names) {
        names.push_back("\\fB" + roff(each) + "\\fR");
    }
    std::cout << ".TP\n"
              << fmt::format("{}", fmt::join(names, ", "))
              << (option.value.empty() ? "" : " \\fI" + roff(option.value) + "\\fR") << "\n"
              << roff(option.doc) << "\n";
}

void print_command(const command_words& command) {
    if (!command.commands.empty()) {
        return; // those below it are told one by one
    }
    std::cout << ".SS " << synopsis(command) << "\n"
              << roff(command.doc) << (command.doc.ends_with('.') ? "\n" : ".\n");
    for (const auto& each : command.arguments) {
        std::cout << ".TP\n\\fI" << roff(each.names.front()) << "\\fR\n" << roff(each.doc) << "\n";
    }
    for (const auto& each : command.options) {
        if (each.names.front() != "--help") {
            print_option(each);
        }
    }
    if (!command.footer.empty()) {
        std::cout << ".PP\n" << roff(command.footer) << "\n";
    }
}

void print_page(const std::vector<command_words>& all, const program& shared) {
    auto is_kind = [&shared](const command_words& command) {
        return command.path.size() == 1 && std::ranges::any_of(shared.specs, [&](const auto* spec) {
                   return spec->name() == command.path.front();
               });
    };
    std::cout
        << ".TH LEAT 1 \"\" \"leat " LEAT_VERSION "\" \"User Commands\"\n"
        << ".SH NAME\nleat \\- reliable messaging on the Redis or Valkey that you already run\n"
        << ".SH SYNOPSIS\n\\fBleat\\fR \\fIkind\\fR [\\fIFILE\\fR] [\\fB\\-\\-setting\\fR \\fIvalue\\fR] ...\n.br\n"
        << "\\fBleat\\fR \\fIcommand\\fR [\\fIargument\\fR] ...\n"
        << ".SH DESCRIPTION\n"
        << "Leat is one program of small services that compose through plain Redis lists. A producer in any language "
           "needs only LPUSH, a consumer only BRPOP or BLMOVE; leat does what lies between. Everything that it knows "
           "is "
           "in Redis, readable with \\fBredis\\-cli\\fR(1).\n"
        << ".SH OPTIONS\nThese may stand before or after any command.\n";
    for (const auto& each : all.front().options) {
        print_option(each);
    }
    std::cout << ".SH KINDS\nEach runs one service; \\fBleat run\\fR runs all of a file.\n";
    for (const auto& each : all) {
        if (is_kind(each)) {
            print_command(each);
        }
    }
    std::cout << ".SH COMMANDS\n";
    for (std::size_t i = 1; i < all.size(); ++i) {
        if (!is_kind(all[i])) {
            print_command(all[i]);
        }
    }
    std::cout << R"(.SH ENVIRONMENT
.TP
\fBREDIS_URL\fR
The server, when \fB\-\-redis\fR does not name it.
.TP
\fBpropsFile\fR
File with the settings of a kind, when none is named.
.TP
\fBloggerLevel\fR
As \fB\-\-log\-level\fR.
.SH EXIT STATUS
.TP
0
Stopped as asked, or done.
.TP
1
Failed while running.
.TP
2
Bad usage or configuration; nothing was touched.
.SH EXAMPLES
.EX
leat mpush \-\-in orders \-\-out orders:billing,orders:mail
leat exec \-\-in orders:mail \-\-command ./send\-mail
leat queue ls
leat queue redrive orders:mail:dead \-\-reason 'exit code 75'
.EE
.SH SEE ALSO
\fBredis\-cli\fR(1), \fBvalkey\-cli\fR(1)
)";
}

} // namespace

void add_man(CLI::App& app, program& shared) {
    auto* command = app.add_subcommand("man", "Print the manual page");
    command->footer("leat man > /usr/local/share/man/man1/leat.1; or to read it now: leat man | man -l -");
    command->callback([&app, &shared] { print_page(all_commands(app), shared); });
}

} // namespace leat::cli
