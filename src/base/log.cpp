#include "base/log.hpp"

#include "base/unicode.hpp"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <array>
#include <cstdlib>

namespace leat::base {
namespace {

// INFO, WARN: the seeds' programs print levels in capitals.
class capital_level final : public spdlog::custom_flag_formatter {
public:
    void format(const spdlog::details::log_msg& message, const std::tm& /*time*/, spdlog::memory_buf_t& out) override {
        static constexpr std::array<std::string_view, 7> names{"TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL", ""};
        auto name = names.at(static_cast<std::size_t>(message.level));
        out.append(name.data(), name.data() + name.size());
    }
    std::unique_ptr<custom_flag_formatter> clone() const override { return std::make_unique<capital_level>(); }
};

// What was said, and no order to the terminal that shows it, whoever's words are quoted.
class harmless_text final : public spdlog::custom_flag_formatter {
public:
    void format(const spdlog::details::log_msg& message, const std::tm& /*time*/, spdlog::memory_buf_t& out) override {
        auto shown = printable_lines({message.payload.data(), message.payload.size()});
        out.append(shown.data(), shown.data() + shown.size());
    }
    std::unique_ptr<custom_flag_formatter> clone() const override { return std::make_unique<harmless_text>(); }
};

spdlog::sink_ptr shared_sink() {
    static spdlog::sink_ptr sink = [] {
        auto made = std::make_shared<spdlog::sinks::stderr_sink_st>();
        bool journal = std::getenv("JOURNAL_STREAM") != nullptr; // NOLINT(concurrency-mt-unsafe): before any thread
        auto formatter = std::make_unique<spdlog::pattern_formatter>(spdlog::pattern_time_type::utc);
        formatter->add_flag<capital_level>('*').add_flag<harmless_text>('?');
        formatter->set_pattern(journal ? "%* %n: %?" : "%Y-%m-%dT%H:%M:%S.%eZ %* %n: %?");
        made->set_formatter(std::move(formatter));
        return made;
    }();
    return sink;
}

} // namespace

log_ptr create_log(std::string name) {
    auto log = std::make_shared<spdlog::logger>(std::move(name), shared_sink());
    log->set_level(spdlog::get_level());
    log->flush_on(spdlog::level::trace);
    return log;
}

bool set_log_level(std::string_view level) {
    if (level == "warn") {
        level = "warning";
    }
    auto parsed = spdlog::level::from_str(std::string{level});
    if (parsed == spdlog::level::off && level != "off") {
        return false;
    }
    spdlog::set_level(parsed); // the default level of loggers made from now on
    return true;
}

} // namespace leat::base
