#include "runtime/child.hpp"
#include "taking/work_loop.hpp"
#include "workers/command_run.hpp"
#include "workers/exec_settings.hpp"
#include "workers/run_verdict.hpp"
#include "workers/workers.hpp"

#include <boost/json/parse.hpp>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace leat::workers {
namespace {

using boost::asio::awaitable;
using taking::verdict;

// What a command finds in its environment beside what the settings name.
constexpr std::array kept_variables{"PATH", "HOME", "USER", "LANG", "LC_ALL", "TZ", "TMPDIR"};

std::vector<std::string> environment_of(const exec_settings& settings) {
    std::vector<std::string> made;
    auto pass = [&made](const std::string& name) {
        if (const char* found = std::getenv(name.c_str())) { // NOLINT(concurrency-mt-unsafe): one thread
            made.push_back(name + "=" + found);
        }
    };
    for (const auto* name : kept_variables) {
        pass(name);
    }
    for (const auto& each : settings.environment) {
        auto name = each.substr(0, each.find('='));
        std::erase_if(made, [&name](const std::string& other) { return other.starts_with(name + "="); });
        if (name == each) {
            pass(name);
        } else {
            made.push_back(each);
        }
    }
    return made;
}

// The message as words of the command; nothing and the reason when it cannot be.
std::optional<std::vector<std::string>> words_of(const std::string& message, std::string& why_not) {
    boost::system::error_code wrong;
    auto parsed = boost::json::parse(message, wrong);
    if (wrong || !parsed.is_array()) {
        why_not = "the message is not a JSON list of texts, as `input: arguments` wants it";
        return std::nullopt;
    }
    std::vector<std::string> words;
    for (const auto& each : parsed.get_array()) {
        if (!each.is_string()) {
            why_not = "the message holds something that is not a text, where `input: arguments` wants texts";
            return std::nullopt;
        }
        words.emplace_back(each.get_string());
    }
    return words;
}

class exec final : public runtime::service {
public:
    exec(runtime::context given, exec_settings settings)
        : context_{std::move(given)}
        , settings_{std::move(settings)}
        , environment_{environment_of(settings_)} {
        auto work = taking::work_of(settings_);
        work.pushes = settings_.reply.has_value();
        work.patience = std::chrono::seconds{settings_.stop_timeout};
        work.allowed = std::chrono::seconds{settings_.timeout};
        work.later = [this](taking::taken message, base::stop_signal& abandoned) {
            return decide(std::move(message), abandoned);
        };
        loop_ = taking::create_work_loop(
            context_, redis::parse_url(settings_.redis).value(), taking::name_space_of(settings_), std::move(work));
    }

    awaitable<runtime::outcome> run() override {
        auto code = co_await loop_->run();
        co_return runtime::outcome{code};
    }

    void stop() override { loop_->stop(); }
    void registered(std::int64_t id) override { loop_->registered(id); }
    std::chrono::seconds patience() const override { return std::chrono::seconds{settings_.stop_timeout + 3}; }

private:
    awaitable<verdict> decide(taking::taken given, base::stop_signal& abandoned) {
        std::string why_not;
        auto made = make_command(given, why_not);
        if (!made) {
            co_return verdict::dead(why_not);
        }
        auto ended = co_await run_command(context_.executor, context_.log, *made, abandoned);
        if (ended.unstarted == E2BIG) {
            co_return verdict::dead("the message is too long for an argument");
        }
        if (ended.unstarted != 0) {
            tell_unstarted(ended.unstarted);
            if (!abandoned.requested()) {
                co_await abandoned.awake().wait_for(std::chrono::seconds{1});
            }
            co_return verdict::give_back(); // it is not the message's fault
        }
        if (unstarted_ != 0) {
            unstarted_ = 0;
            context_.log->info("going on");
        }
        co_return verdict_of(settings_, std::move(ended));
    }

    std::optional<command> make_command(const taking::taken& given, std::string& why_not) const {
        command made{
            .program = settings_.command.front(),
            .words = settings_.command,
            .environment = environment_,
            .folder = settings_.folder.value_or(""),
            .input = {},
            .timeout = std::chrono::seconds{settings_.timeout},
            .max_output = static_cast<std::size_t>(settings_.max_output),
            .keeps_output = settings_.reply.has_value(),
            .service = context_.name,
            .message = given.message};
        if (made.program.find('/') == std::string::npos) {
            made.program = runtime::find_program({made.program}).value_or(made.program);
        }
        made.environment.push_back("LEAT_QUEUE=" + settings_.in);
        made.environment.push_back("LEAT_DELIVERY=" + std::to_string(given.delivery));
        made.environment.push_back("LEAT_SERVICE=" + context_.name);
        if (settings_.input == "stdin") {
            made.input = given.message;
        } else if (settings_.input == "argument") {
            made.words.push_back(given.message);
        } else if (settings_.input == "arguments") {
            auto words = words_of(given.message, why_not);
            if (!words) {
                return std::nullopt;
            }
            made.words.insert(made.words.end(), words->begin(), words->end());
        }
        for (const auto& each : made.words) {
            if (each.find('\0') != std::string::npos) {
                why_not = "the message holds a NUL, which no argument can";
                return std::nullopt;
            }
        }
        return made;
    }

    void tell_unstarted(int reason) {
        if (unstarted_ != reason) {
            unstarted_ = reason;
            context_.log->error(
                "waiting for repair, nothing is lost: the command cannot be started command={} reason=\"{}\"",
                settings_.command.front(), std::strerror(reason)); // NOLINT(concurrency-mt-unsafe): one thread
        }
    }

    runtime::context context_;
    exec_settings settings_;
    std::vector<std::string> environment_;
    std::unique_ptr<taking::work_loop> loop_;
    int unstarted_ = 0; // the last errno that was told
};

} // namespace

runtime::kind exec_kind() {
    return runtime::kind_of<exec_settings>(
        {.spec = runtime::lasting(exec_spec()),
         .make = [](const runtime::context& given,
                    const exec_settings& settings) { return std::make_unique<exec>(given, settings); },
         .queues = [](const exec_settings& settings) { return taking::queues_of(settings, settings.reply); }});
}

} // namespace leat::workers
