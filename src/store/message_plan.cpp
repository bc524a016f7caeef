#include "store/message_plan.hpp"

#include "message/envelope.hpp"

#include <spdlog/fmt/fmt.h>

namespace leat::store {
namespace {

// A JSON object, member by member.
class object_writer {
public:
    void add(std::string_view name, const std::string& text) { add_json(name, message::json_text(text)); }
    void add(std::string_view name, std::int64_t number) { add_json(name, std::to_string(number)); }
    void add(std::string_view name, double number) {
        auto digits = fmt::format("{}", number);
        add_json(name, digits.find_first_of(".e") == std::string::npos ? digits + ".0" : digits);
    }
    void add(std::string_view name, const std::vector<std::string>& texts) {
        std::string list;
        for (const auto& each : texts) {
            list += list.empty() ? "" : ",";
            list += message::json_text(each);
        }
        add_json(name, "[" + list + "]");
    }
    std::string made() const { return "{" + members_ + "}"; }

private:
    void add_json(std::string_view name, const std::string& json) {
        members_ += fmt::format("{}\"{}\":{}", members_.empty() ? "" : ",", name, json);
    }

    std::string members_;
};

} // namespace

std::string to_text(const message_plan& plan) {
    object_writer writer;
    writer.add("outs", plan.outs);
    writer.add("await", plan.await);
    writer.add("attempts", plan.attempts);
    writer.add("first", plan.first);
    writer.add("factor", plan.factor);
    writer.add("max", plan.max);
    writer.add("jitter", plan.jitter);
    writer.add("timeout", plan.timeout);
    writer.add("expire", plan.expire);
    writer.add("maxLength", plan.max_length);
    writer.add("dead", plan.dead);
    writer.add("origin", plan.source);
    writer.add("db", plan.db);
    writer.add("server", plan.server);
    return writer.made();
}

} // namespace leat::store
