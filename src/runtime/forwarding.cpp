#include "runtime/forwarding.hpp"

#include "redis/url.hpp"

#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>

#include <algorithm>
#include <deque>
#include <map>

namespace leat::runtime {
namespace {

// The same for URLs that lead to the same lists, whoever enters by them. Empty when the URL is none.
std::string lists_of(const std::string& server) {
    auto url = redis::parse_url(server);
    if (!url) {
        return "";
    }
    auto host = url->host == "localhost" || url->host == "::1" ? "127.0.0.1" : url->host;
    auto address = url->via == redis::url::transport::unix_socket ? url->path : fmt::format("{}:{}", host, url->port);
    if (!url->sentinels.empty()) {
        address = url->master;
        for (const auto& each : url->sentinels) {
            address += fmt::format(",{}:{}", each.host, each.port);
        }
    }
    return fmt::format("{}/{}", address, url->db);
}

struct mover {
    const declared_forwarding& declared;
    std::string lists;
};

struct way {
    std::string from;
    const declared_forwarding* by;
};

// The way of a message from the outs of the last mover back to its `in`, over the others; empty when there is none.
std::vector<std::string> way_back(std::span<const mover> movers) {
    const auto& last = movers.back();
    const auto& start = last.declared.what.in;
    std::map<std::string, way> came; // to each queue, the first and so the shortest
    std::deque<std::string> next;
    auto follow = [&](const declared_forwarding& by) {
        for (const auto& out : by.what.outs) {
            if (came.try_emplace(out, way{by.what.in, &by}).second) {
                next.push_back(out);
            }
        }
    };
    follow(last.declared);
    while (!next.empty() && !came.contains(start)) {
        auto queue = std::move(next.front());
        next.pop_front();
        for (const auto& each : movers.first(movers.size() - 1)) {
            if (each.lists == last.lists && each.declared.what.in == queue) {
                follow(each.declared);
            }
        }
    }
    std::vector<std::string> steps;
    for (auto queue = came.contains(start) ? std::optional{start} : std::nullopt; queue;) {
        const auto& step = came.at(*queue);
        steps.push_back(fmt::format("`{}` -> `{}` ({})", step.from, *queue, step.by->service));
        queue = step.from == start ? std::nullopt : std::optional{step.from};
    }
    std::ranges::reverse(steps);
    return steps;
}

} // namespace

void check_cycles(std::span<const declared_forwarding> all, config::problems& found) {
    std::vector<mover> movers;
    for (const auto& each : all) {
        auto lists = lists_of(each.what.server);
        if (lists.empty()) {
            continue;
        }
        movers.push_back({each, std::move(lists)});
        if (auto steps = way_back(movers); !steps.empty()) {
            found.error(
                each.where, fmt::format(
                                "service {} closes a cycle in which every message comes back for ever: {}",
                                each.service, fmt::join(steps, ", ")));
        }
    }
}

} // namespace leat::runtime
