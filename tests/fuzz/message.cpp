// Whatever a message holds: envelopes are read or refused, and it comes to an end on every kind of route.
#include "config/reader.hpp"
#include "message/base64.hpp"
#include "message/envelope.hpp"
#include "message/raw_json.hpp"
#include "routing/route_table.hpp"
#include "routing/routing.hpp"

#include <cstdlib>
#include <stdexcept>

using namespace leat;

namespace {

void need(bool holds) {
    if (!holds) {
        std::abort();
    }
}

constexpr auto configs = R"(
RedisImporter.one: {queue: {in: in, reply: reply}, timeout: 1000, route: [multicast.one]}
RedisImporter.json: {queue: {in: in2}, json: true, timeout: 1000, route: [RateLimitFilter.one, RedisExporter.json]}
multicast.one:
  reply: all
  routes:
  - {route: [HttpRequestValidator.one, RedisExporter.one], optional: true}
  - {route: [SchemaValidator.one, RedisExporter.json], optional: true}
  - {route: [ExpiredFilter.one, regexpRouter.one]}
HttpRequestValidator.one: {}
SchemaValidator.one: {schema: {type: object, properties: {url: {type: string, pattern: '^(a+)+$'}}}}
ExpiredFilter.one: {}
RateLimitFilter.one: {limit: 1, periodMillis: 0, queue: {drop: drop}}
regexpRouter.one:
  pluck: url
  rules:
  - {regexp: '(x+x+)+y', response: {statusCode: 200, content: yes}}
  - {pluck: a.b.c, regexp: '^.*$', route: [RedisExporter.one]}
  - {match: all, route: [RedisExporter.json]}
RedisExporter.one: {queue: {out: out}}
RedisExporter.json: {queue: {out: json}, json: true}
)";

// The routes, and nothing around them.
struct stage {
    stage() {
        config::problems found;
        auto none = [](std::string_view) -> std::optional<std::string> { return std::nullopt; };
        auto read = config::read_text(configs, "fuzz", config::syntax::yaml, none, found);
        static const routing::processor_table known{routing::processors()};
        all = routing::read_configs(read.value(), known, found);
        need(!found.any_errors());
        table = std::make_unique<routing::route_table>(all, context);
    }

    routing::engine passages;
    boost::asio::io_context loop;
    runtime::metrics counts{loop.get_executor()};
    routing::processor_context context{
        .passages = passages,
        .counts = counts,
        .log = base::create_log("fuzz"),
        .server = "",
        .server_of = [](const std::string&, const std::string&) -> redis::server {
            throw std::logic_error{"no server"};
        },
        .requests_on = [](const std::string&) -> routing::requests& { throw std::logic_error{"no server"}; },
        .spawn = [](std::string, boost::asio::awaitable<void>) { throw std::logic_error{"no server"}; },
        .loop_of = {}};
    std::vector<routing::declared> all;
    std::unique_ptr<routing::route_table> table;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static stage on;
    std::string text{reinterpret_cast<const char*>(data), size};
    auto read = message::read_answer(text);
    need(read.has_error() || !read->id.empty());
    auto asker = message::read_asker(text);
    auto answer = message::read_answer(message::write_answer("1", text));
    need(answer && answer->body == text);
    message::raw_member(text, "meta");
    message::write(
        {.id = asker.id, .deadline = 1, .reply = asker.reply, .trace_parent = asker.trace_parent, .body = text});
    need(message::from_base64(message::to_base64(text)) == text);
    for (const auto& each : on.table->importers()) {
        int ends = 0;
        each->import(text, [&ends](const routing::trial&) { ++ends; });
        need(ends == 1);
    }
    return 0;
}
