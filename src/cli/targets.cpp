#include "cli/targets.hpp"

#include "cli/serve.hpp"
#include "cli/visit.hpp"

#include <iostream>

namespace leat::cli {
namespace {

std::string text_of(const config::service_declaration& service, std::string_view setting) {
    const auto* found = service.settings.find(setting);
    return found == nullptr ? "" : found->to_text().value_or("");
}

std::set<target> targets_of_file(program& shared, const target_words& words) {
    config::problems found;
    std::set<target> targets;
    std::vector<std::string> replaced;
    auto services = load_files(shared, {words.file}, "", found);
    auto flag = words.redis.empty() ? std::nullopt : std::optional{words.redis};
    override_redis(services, flag, found, replaced); // as when the file is run
    check(shared, services, found);
    print(found);
    if (found.any_errors()) {
        shared.exit = runtime::exit_code::usage;
        return targets;
    }
    for (const auto& each : services) {
        auto name_space = text_of(each, "serviceNamespace");
        auto own = text_of(each, "serviceRedis");
        if (!name_space.empty() && (words.name_space.empty() || words.name_space == name_space)) {
            targets.emplace(server_for(own.empty() ? text_of(each, "redis") : own), name_space);
        }
    }
    if (targets.empty()) {
        auto asked = words.name_space.empty() ? "a serviceNamespace" : "the serviceNamespace " + words.name_space;
        std::cerr << words.file << ": no service in it has " << asked << "\n";
    }
    return targets;
}

} // namespace

void add_target_options(CLI::App& command, target_words& words) {
    command.add_option("FILE", words.file, "Those of a run file; else those of every namespace on the server");
    command.add_option("--namespace", words.name_space, "Only this serviceNamespace");
    command.add_option("--redis", words.redis, "Server of the service keys; also REDIS_URL")->type_name("URL");
}

std::set<target> targets_of(program& shared, const target_words& words) {
    if (words.file.empty()) {
        return {{server_for(words.redis), words.name_space}};
    }
    return targets_of_file(shared, words);
}

} // namespace leat::cli
