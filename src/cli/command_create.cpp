#include "cli/program.hpp"
#include "config/reader.hpp"
#include "config/write.hpp"
#include "routing/processor_type.hpp"

#include <iostream>
#include <sstream>

namespace leat::cli {
namespace {

using config::field_info;
using config::value;

// The settings of a starting configuration: what is required as it stands, the rest commented out.
class starter {
public:
    starter(std::string route, std::ostream& out)
        : route_{std::move(route)}
        , out_{out} {}

    void write(const config::spec_base& kind) {
        out_ << "# " << kind.summary() << "\nkind: " << kind.name() << "\n";
        fields(kind.fields(), example_of(kind), "", false);
    }

    void write(const routing::processor_type& type) {
        const auto& spec = *type.spec;
        out_ << "  " << spec.name() << ".singleton: # " << spec.summary() << "\n";
        auto shown = example_of(spec);
        if (spec.fields().size() == 1) { // the description
            out_ << "    description: " << config::to_json(value::of_text(spec.summary()), 0) << "\n";
        }
        fields(spec.fields(), shown, "    ", type.is == routing::role::importer);
    }

private:
    // The first example of its page.
    static value example_of(const config::spec_base& spec) {
        if (spec.examples().empty()) {
            return value::null();
        }
        config::problems none;
        auto read = config::read_text(
            spec.examples().front().text, "example", config::syntax::yaml,
            [](std::string_view) -> std::optional<std::string> { return std::nullopt; }, none);
        return read.value_or(value::null());
    }

    void fields(const std::vector<field_info>& all, const value& shown, const std::string& indent, bool routes) {
        for (const auto& each : all) {
            const auto* example = shown.find(each.key);
            if (each.type == config::field_type::group) {
                bool any = std::ranges::any_of(each.inner, &field_info::required);
                out_ << indent << (any ? "" : "# ") << each.key << ":\n";
                fields(
                    each.inner, example != nullptr ? *example : value::null(), indent + (any ? "  " : "#   "), false);
                continue;
            }
            auto content = each.required && example != nullptr ? *example
                           : !each.example.is_null()           ? each.example
                                                               : each.default_value;
            auto text = routes && each.key == "route" ? route_ : config::to_json(content, 0);
            if (each.key == "description") {
                continue;
            }
            out_ << indent << (each.required || indent.find('#') != std::string::npos ? "" : "# ") << each.key << ": "
                 << text << " # " << first_sentence(each.doc) << "\n";
        }
    }

    static std::string first_sentence(const std::string& text) {
        auto end = text.find(". ");
        return text.substr(0, end == std::string::npos ? text.size() : end + 1);
    }

    std::string route_;
    std::ostream& out_;
};

void create_route(const std::string& list) {
    std::vector<const routing::processor_type*> types;
    std::string route;
    std::istringstream words{list};
    for (std::string name; std::getline(words, name, ',');) {
        const auto* type = all_processors().find(name + ".singleton");
        if (type == nullptr || name.find('.') != std::string::npos) {
            throw CLI::ValidationError{
                "NAME", "there is no processor " + name + ", and no such kind" +
                            config::did_you_mean_or_all(name, all_processors().names())};
        }
        types.push_back(type);
        if (type->is != routing::role::importer) {
            route += (route.empty() ? "" : ", ") + type->spec->name() + ".singleton";
        }
    }
    std::cout << "# Check it with `leat lint FILE`, run it with `leat router FILE`. `leat docs TYPE` tells more.\n"
                 "kind: router\n"
                 "redis: redis://localhost:6379/0\n"
                 "configs:\n";
    for (const auto* each : types) {
        starter{"[" + route + "]", std::cout}.write(*each);
    }
}

void create(const program& shared, const std::string& name) {
    const auto* kind = runtime::find_kind(shared.kinds, name);
    if (kind == nullptr || name == "router") {
        return create_route(kind == nullptr ? name : "RedisImporter,RedisExporter");
    }
    std::cout << "# Check it with `leat lint FILE`, run it with `leat run FILE`. `leat docs " << name
              << "` tells more.\n";
    starter{"", std::cout}.write(*kind->spec);
}

} // namespace

void add_create(CLI::App& app, program& shared) {
    auto name = std::make_shared<std::string>();
    auto* command = app.add_subcommand("create", "Print a starting configuration, with comments");
    command->footer("For example: leat create mpush > orders.yaml\n"
                    "             leat create RedisImporter,RateLimitFilter,RedisExporter > routes.yaml");
    command
        ->add_option(
            "NAME", *name,
            "A kind, or the types of a router's processors in the order of the route, with commas between")
        ->required();
    command->callback([&shared, name] { create(shared, *name); });
}

} // namespace leat::cli
