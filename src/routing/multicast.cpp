#include "routing/processors.hpp"

#include <list>

namespace leat::routing {
namespace {

struct multicast_settings : described {
    config::value routes;
    std::string reply = "first";
};

struct branch_settings {
    std::optional<std::string> label;
    std::vector<std::string> route;
    bool optional = false;
};

const config::spec<branch_settings>& branch_spec() {
    using settings = branch_settings;
    static const config::spec<settings> made{
        "branch",
        "A route of multicast.",
        "",
        {config::field("label", &settings::label, "For people."),
         config::field("route", &settings::route, "Where a copy goes.")
             .required()
             .at_least(1)
             .not_empty()
             .example(std::vector<std::string>{"RedisExporter.singleton"}),
         config::field("optional", &settings::optional, "Its failure is counted, and costs nobody else.")}};
    return made;
}

void check(const multicast_settings& given, const config::reporter& at) {
    if (!given.routes.is_list() || given.routes.items().empty()) {
        at.error("routes", "routes: expected a list of at least one `{route: [...]}`");
        return;
    }
    for (const auto& each : given.routes.items()) {
        if (!each.is_map()) {
            at.found().error(each.where(), "routes: expected a map with route, and perhaps label and optional");
        } else {
            branch_spec().lint(each, at.found());
        }
    }
}

const config::spec<multicast_settings>& spec() {
    using settings = multicast_settings;
    static const config::spec<settings> made{
        "multicast",
        "Sends a message along several routes at once.",
        R"(`routes` is a list of `{route: [...], label, optional}`. The message is done when all routes are; when one fails, it
fails with the first error, and nothing that was to be exported to the router's own Redis is: it is in all of these lists, or in
none. The failure of a route with `optional: true` is only counted, in the metric `optional:<name>`.
)",
        {description_field(), config::field("routes", &settings::routes, "The routes: see above.").required(),
         config::field(
             "reply", &settings::reply,
             "What the reply is: that of the `first` route in the list that has one, a JSON list of `all`, or `none`.")
             .choices({"first", "all", "none"})},
        {{"to two lists", "routes:\n- {label: mail, route: [RedisExporter.singleton]}\n"
                          "- {label: audit, optional: true, route: [RedisExporter.singleton]}\n"}},
        &check};
    return made;
}

class multicast final : public processor {
public:
    multicast(
        std::string name, const multicast_settings& settings, const processor_context& context, const find_route& find)
        : processor{std::move(name)}
        , passages_{context.passages}
        , counts_{context.counts}
        , reply_{settings.reply}
        , failed_{"optional:" + this->name()} {
        for (const auto& each : settings.routes.items()) {
            auto given = branch_spec().checked(each);
            branches_.push_back({find(*each.find("route")), given.optional});
        }
    }

    ~multicast() override {
        for (const auto& each : casts_) {
            for (const auto& copy : each.copies) {
                passages_.forget(copy.number());
            }
        }
    }

    step forward(passage& on) override {
        auto sent = casts_.emplace(casts_.end(), *this, on.number());
        sent->place = sent;
        sent->copies.resize(branches_.size());
        sent->left = branches_.size() + 1; // one for ourselves: all may end at once
        for (std::size_t i = 0; i < branches_.size(); ++i) {
            auto& copy = sent->copies[i];
            copy.message = on.message;
            copy.begin(branches_[i].along, *sent, on.now(), on.deadline());
            auto route = copy.meta.route;
            copy.meta = on.meta;
            copy.meta.route = route;
        }
        for (std::size_t i = 0; i < branches_.size(); ++i) {
            passages_.start(sent->copies[i]);
        }
        if (--sent->left > 0) {
            return step::wait;
        }
        gather(*sent, on);
        casts_.erase(sent);
        return step::end;
    }

private:
    struct branch {
        route along;
        bool optional;
    };
    // The copies of one message.
    struct cast final : departure {
        cast(multicast& owner, std::uint64_t number)
            : of{owner}
            , original{number} {}
        void ended(passage& /*over*/) override {
            if (--left == 0) {
                of.arrive(*this);
            }
        }
        multicast& of;
        std::uint64_t original;
        std::vector<passage> copies;
        std::size_t left = 0;
        std::list<cast>::iterator place;
    };

    void arrive(cast& back) {
        if (auto* on = passages_.find(back.original)) {
            gather(back, *on);
            auto how = std::move(on->outcome);
            passages_.resume(back.original, std::move(how), passage::clock::now());
        }
        casts_.erase(back.place);
    }

    // The outcomes of all become one.
    void gather(cast& back, passage& on) {
        on.outcome = std::monostate{};
        std::string replies;
        std::vector<write> writes;
        for (std::size_t i = 0; i < branches_.size(); ++i) {
            auto& copy = back.copies[i];
            if (auto* failed = std::get_if<message::error>(&copy.outcome)) {
                if (branches_[i].optional) {
                    counts_.add(failed_, 1, on.meta.source());
                } else if (!std::holds_alternative<message::error>(on.outcome)) {
                    on.outcome = std::move(*failed);
                }
                std::erase_if(copy.writes, [](const write& each) { return !each.counts(true); });
                for (auto& each : copy.writes) { // however the others fare
                    each.if_it_is = write::when::always;
                }
            } else if (auto* reply = std::get_if<content>(&copy.outcome)) {
                if (reply_ == "all") {
                    replies += (replies.empty() ? "" : ",") + as_json(*reply);
                } else if (reply_ == "first" && std::holds_alternative<std::monostate>(on.outcome)) {
                    on.outcome = std::move(*reply);
                }
            }
            std::ranges::move(copy.writes, std::back_inserter(writes));
        }
        std::ranges::move(writes, std::back_inserter(on.writes));
        if (reply_ == "all" && !std::holds_alternative<message::error>(on.outcome)) {
            on.outcome = content::of_json("[" + replies + "]");
        }
    }

    engine& passages_;
    runtime::metrics& counts_;
    std::string reply_;
    std::string failed_;
    std::vector<branch> branches_;
    std::list<cast> casts_; // under way
};

} // namespace

processor_type multicast_type() {
    return processor_type_of<multicast_settings>(
        {.spec = &spec(),
         .is = role::router,
         .make =
             [](std::string name, const multicast_settings& settings, const processor_context& context,
                const find_route& find) {
                 return std::make_unique<multicast>(std::move(name), settings, context, find);
             },
         .routes = [](const config::value& settings) { return routes_in(settings, "routes"); }});
}

} // namespace leat::routing
