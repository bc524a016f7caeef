#include "routing/engine_room.hpp"
#include "routing/intake.hpp"
#include "routing/mdispatch_settings.hpp"
#include "routing/processors.hpp"
#include "routing/reply_rule.hpp"
#include "routing/routing.hpp"
#include "store/keys.hpp"

namespace leat::routing {
namespace {

using boost::asio::awaitable;
using taking::verdict;

verdict verdict_of(const reply_rule& replies, const std::string& original, passage& over) {
    auto asker = message::read_asker(original);
    auto to = replies.list_for(asker.reply).value(); // else it would not have been admitted
    auto id = asker.raw_id.empty() ? message::json_text(over.meta.request) : asker.raw_id;
    std::string answer;
    if (const auto* failed = std::get_if<message::error>(&over.outcome)) {
        answer = message::write_error(id, *failed);
    } else if (const auto* reply = std::get_if<content>(&over.outcome)) {
        answer = message::write_answer(id, reply->text(), reply->is_json());
    }
    std::vector<verdict::push> pushes;
    pushes.push_back({.to = std::move(to.list), .message = std::move(answer), .by_message = to.by_message});
    return verdict::done(std::move(pushes));
}

reply_rule reply_rule_of(const mdispatch_settings& settings) {
    auto own = taking::own_keys_of(settings);
    own.exact.push_back(settings.workers);
    own.starts.push_back(store::answer_keys{settings.answers_prefix()}.prefix());
    return {settings.in, settings.reply, settings.reply_prefixes, std::move(own)};
}

// The processor that asks: a RedisExporter with a reply.
config::value exporter_settings(const mdispatch_settings& settings) {
    auto queue = config::value::of_map();
    queue.set("out", config::value::of_text(settings.workers));
    queue.set("reply", config::value::of_text(settings.answers_prefix()));
    auto made = config::value::of_map();
    made.set("queue", std::move(queue));
    return made;
}

class mdispatch final : public runtime::service {
public:
    mdispatch(const runtime::context& given, mdispatch_settings settings)
        : context_{given}
        , settings_{std::move(settings)}
        , replies_{reply_rule_of(settings_)}
        , room_{given, settings_, settings_.redis}
        , asks_{redis_exporter_type().make(given.name, exporter_settings(settings_), room_.for_processors(), {})} {
        auto work = taking::work_of(settings_);
        work.pushes = true;
        work.results = &room_.results();
        std::chrono::milliseconds timeout{settings_.timeout};
        intake_ = std::make_unique<intake>(
            given.name, timeout, false, room_.passages(), route{asks_.get()},
            [this](const std::string& original, passage& over) { return verdict_of(replies_, original, over); },
            std::move(work));
        intake_->admit_by([this](const std::string& request) { return refuse(request); });
        auto url = redis::parse_url(settings_.redis).value();
        loop_ = taking::create_work_loop(context_, url, taking::name_space_of(settings_), intake_->work());
    }

    awaitable<runtime::outcome> run() override {
        room_.begin();
        auto code = co_await loop_->run();
        co_await room_.end();
        co_return runtime::outcome{code};
    }

    void stop() override { loop_->stop(); }
    void registered(std::int64_t id) override { loop_->registered(id); }
    std::chrono::seconds patience() const override { return std::chrono::seconds{settings_.timeout / 1000 + 3}; }

private:
    // Of a request whose answer nobody could get.
    std::optional<verdict> refuse(const std::string& request) const {
        auto to = replies_.list_for(message::read_asker(request).reply);
        if (!to) {
            return verdict::dead(to.error().text);
        }
        return std::nullopt;
    }

    runtime::context context_;
    mdispatch_settings settings_;
    reply_rule replies_;
    engine_room room_;
    std::unique_ptr<processor> asks_;
    std::unique_ptr<intake> intake_;
    std::unique_ptr<taking::work_loop> loop_;
};

runtime::service_queues queues_of(const mdispatch_settings& settings) {
    auto queues = taking::queues_of(settings, settings.reply);
    queues.roles.insert(queues.roles.begin() + 1, {"out", {settings.workers}});
    return queues;
}

} // namespace

runtime::kind mdispatch_kind() {
    return runtime::kind_of<mdispatch_settings>(
        {.spec = runtime::lasting(mdispatch_spec()),
         .make = [](const runtime::context& given,
                    const mdispatch_settings& settings) { return std::make_unique<mdispatch>(given, settings); },
         .queues = &queues_of});
}

} // namespace leat::routing
