#include "workers/exec_settings.hpp"

#include <charconv>

namespace leat::workers {
namespace {

constexpr auto description =
    R"(Makes any program a worker: each message of `in` is given to a run of `command`, and how the run ends decides what
becomes of it.

| the command | the message |
|---|---|
| ends with 0 | is done; what the command wrote to standard output is pushed to `reply`; without one it went to leat's own |
| ends with one of `deadCodes` | goes to `dead` |
| ends otherwise, by a signal, or not within `timeout` | is delivered again after a pause (`retry`), `maxDeliveries` times in all, then it goes to `dead` |
| writes more than `maxOutput`, with `reply` | goes to `dead` |
| cannot be started | stays in its queue; leat tells, and tries again every second |

The command is started without a shell, so nothing in a message can be taken for one. It finds in its environment
`LEAT_QUEUE`, `LEAT_DELIVERY` (1, or how often it was tried before and once more) and `LEAT_SERVICE`, beside `PATH`, `HOME`,
`USER`, `LANG`, `LC_ALL`, `TZ` and `TMPDIR` as they are here, and nothing else but what `environment` names. What it writes to
standard error goes to leat's, each line with the service and the beginning of the message's SHA1 before it; its last line is in the
dead-letter details of a message that failed.

A message is delivered at least once: a run that ended when leat was killed, before that could be written down, is repeated.
)";

std::optional<std::string> check_code(std::string_view text) {
    int code = 0;
    auto read = std::from_chars(text.data(), text.data() + text.size(), code);
    bool whole = read.ec == std::errc{} && read.ptr == text.data() + text.size();
    if (!whole || code < 1 || code > 255) {
        return "expected an exit code from 1 to 255, found `" + std::string{text} + "`";
    }
    return std::nullopt;
}

std::optional<std::string> check_variable(std::string_view text) {
    auto name = text.substr(0, text.find('='));
    bool right = !name.empty() && (name[0] < '0' || name[0] > '9');
    for (char each : name) {
        right = right && (std::isalnum(static_cast<unsigned char>(each)) != 0 || each == '_');
    }
    if (!right) {
        return "expected NAME or NAME=value, found `" + std::string{text} + "`";
    }
    return std::nullopt;
}

std::optional<std::string> check_word(std::string_view text) {
    if (text.find('\0') != std::string_view::npos) {
        return "a word of a command cannot hold a NUL";
    }
    return std::nullopt;
}

void check_all(const exec_settings& given, const config::reporter& at) {
    std::vector<std::pair<std::string, std::string>> outs;
    if (given.reply) {
        outs.emplace_back("reply", *given.reply);
    }
    taking::check_taking_settings(given, outs, at);
    if (!given.command.empty() && given.command.front().empty()) {
        at.error("command", 0, "the first word is the program; it must not be empty");
    }
}

config::spec<exec_settings> make_spec() {
    using config::field;
    using settings = exec_settings;
    using taking::taking_field;
    config::spec<settings> made{
        "exec",
        "Runs a command for each message of `in`.",
        description,
        {
            taking_field("redis"),
            taking_field("in"),
            field(
                "command", &settings::command,
                "The program and its arguments, each a text of its own; there is no shell. A program without a `/` is "
                "looked for on PATH.")
                .required()
                .at_least(1)
                .check(check_word)
                .of_words()
                .example(std::vector<std::string>{"./charge", "--currency", "EUR"}),
            field(
                "input", &settings::input,
                "How the command gets the message: on `stdin`, as its last `argument`, as `arguments` (the message is "
                "then a JSON list of texts), or not at all (`none`).")
                .choices({"stdin", "argument", "arguments", "none"}),
            field("reply", &settings::reply, "List that gets what a successful run wrote to standard output.")
                .not_empty()
                .example("orders:receipts"),
            taking_field("concurrency"),
            field(
                "timeout", &settings::timeout,
                "A run that takes longer is ended: SIGTERM, and SIGKILL two seconds later.")
                .range(1, 86'400)
                .unit("s"),
            field(
                "maxOutput", &settings::max_output,
                "With `reply`: a run that writes more to standard output is ended, and its message goes to `dead`.")
                .range(0, 512LL << 20)
                .unit("bytes"),
            field(
                "deadCodes", &settings::dead_codes,
                "Exit codes by which the command says that the message will never succeed (65 is EX_DATAERR).")
                .check(check_code)
                .distinct(),
            field(
                "environment", &settings::environment, "Variables for the command: NAME as it is here, or NAME=value.")
                .check(check_variable)
                .example(std::vector<std::string>{"API_KEY", "MODE=live"}),
            field("folder", &settings::folder, "Folder that the command runs in. Default: leat's own.")
                .not_empty()
                .example("/var/lib/shop"),
            taking_field("maxDeliveries"),
            taking_field("maxMessageBytes"),
            taking_field("maxBytesInFlight"),
            taking_field("retry"),
            taking_field("dead"),
            taking_field("pending"),
            taking_field("lease"),
            taking_field("popTimeout"),
            field(
                "stopTimeout", &settings::stop_timeout,
                "When leat stops, runs may go on for so long; then they are ended and their messages go back.")
                .range(0, 3600)
                .unit("s"),
            taking_field("serviceRedis"),
            taking_field("serviceNamespace"),
            taking_field("done"),
            taking_field("serviceExpire"),
            taking_field("serviceRenew"),
            taking_field("serviceCapacity"),
        },
        {
            {"a worker in one line", "in: orders\ncommand: [cat]\n"},
            {"what it prints is the answer",
             "in: words\ncommand: [tr, a-z, A-Z]\nreply: words:upper\nconcurrency: 4\ntimeout: 5\n"},
            {"tried again after 2, 10, 50 seconds, then given up",
             "in: orders\ncommand: [./charge]\ninput: argument\nenvironment: [API_KEY, MODE=live]\nmaxDeliveries: 4\n"
             "retry: {first: 2, factor: 5, max: 3600}\ndeadCodes: [65, 77]\nserviceNamespace: shop\n"},
        }};
    made.cross_check(&check_all);
    return made;
}

} // namespace

const config::spec<exec_settings>& exec_spec() {
    static const auto made = make_spec();
    return made;
}

} // namespace leat::workers
