#include "routing/query_commands.hpp"

#include <algorithm>
#include <array>

namespace leat::routing {
namespace {

using keys_at = query_command::keys_at;

constexpr query_command read(std::string_view name, keys_at keys = keys_at::first) {
    return {.name = name, .keys = keys};
}
constexpr query_command draw(std::string_view name) { // members at random, as many as its second argument says
    return {.name = name, .count_at = 2};
}
constexpr query_command write(std::string_view name, keys_at keys = keys_at::first) {
    return {.name = name, .writes = true, .keys = keys};
}

constexpr std::array table{
    // strings, and any type
    read("get"),
    read("mget", keys_at::all),
    read("strlen"),
    read("getrange"),
    read("getbit"),
    read("bitcount"),
    read("bitpos"),
    read("exists", keys_at::all),
    read("type"),
    read("ttl"),
    read("pttl"),
    read("expiretime"),
    read("pexpiretime"),
    // hashes
    read("hget"),
    read("hmget"),
    query_command{.name = "hgetall", .is_map = true},
    read("hkeys"),
    read("hvals"),
    read("hlen"),
    read("hexists"),
    read("hstrlen"),
    draw("hrandfield"),
    // lists
    read("lrange"),
    read("llen"),
    read("lindex"),
    read("lpos"),
    // sets
    read("smembers"),
    read("sismember"),
    read("smismember"),
    read("scard"),
    read("sinter", keys_at::all),
    read("sunion", keys_at::all),
    read("sdiff", keys_at::all),
    draw("srandmember"),
    // sorted sets
    read("zrange"),
    read("zrangebyscore"),
    read("zrangebylex"),
    read("zrevrange"),
    read("zrevrangebyscore"),
    read("zrevrangebylex"),
    read("zscore"),
    read("zmscore"),
    read("zcard"),
    read("zcount"),
    read("zlexcount"),
    read("zrank"),
    read("zrevrank"),
    draw("zrandmember"),
    read("geodist"),
    read("geohash"),
    read("geopos"),
    read("geosearch"),
    // streams
    read("xrange"),
    read("xrevrange"),
    read("xlen"),

    write("set"),
    write("setex"),
    write("psetex"),
    write("setnx"),
    write("getset"),
    write("getdel"),
    write("getex"),
    write("append"),
    write("incr"),
    write("incrby"),
    write("incrbyfloat"),
    write("decr"),
    write("decrby"),
    write("mset", keys_at::every_second),
    write("msetnx", keys_at::every_second),
    write("del", keys_at::all),
    write("unlink", keys_at::all),
    write("rename", keys_at::first_two),
    write("renamenx", keys_at::first_two),
    write("expire"),
    write("pexpire"),
    write("expireat"),
    write("pexpireat"),
    write("persist"),
    write("hset"),
    write("hmset"),
    write("hsetnx"),
    write("hdel"),
    write("hincrby"),
    write("hincrbyfloat"),
    write("lpush"),
    write("rpush"),
    write("lpushx"),
    write("rpushx"),
    write("lpop"),
    write("rpop"),
    write("lmove", keys_at::first_two),
    write("lset"),
    write("linsert"),
    write("lrem"),
    write("ltrim"),
    write("sadd"),
    write("srem"),
    write("spop"),
    write("smove", keys_at::first_two),
    write("zadd"),
    write("zincrby"),
    write("zrem"),
    write("zpopmin"),
    write("zpopmax"),
    write("zremrangebyrank"),
    write("zremrangebyscore"),
    write("zremrangebylex"),
    write("geoadd"),
    write("xadd"),
    write("xdel"),
    write("xtrim"),
};

char lower(char given) {
    return given >= 'A' && given <= 'Z' ? static_cast<char>(given - 'A' + 'a') : given;
}

} // namespace

const query_command* find_query_command(std::string_view name) {
    auto same = [name](const query_command& row) {
        return std::ranges::equal(row.name, name, [](char known, char given) { return known == lower(given); });
    };
    const auto* found = std::ranges::find_if(table, same);
    return found == table.end() ? nullptr : found;
}

std::vector<std::string> query_command_names(bool writes) {
    std::vector<std::string> names;
    for (const auto& row : table) {
        if (row.writes == writes) {
            names.emplace_back(row.name);
        }
    }
    return names;
}

std::vector<std::size_t> key_places(const query_command& command, std::size_t words) {
    std::size_t step = command.keys == keys_at::every_second ? 2 : 1;
    std::size_t end = words;
    if (command.keys == keys_at::first) {
        end = std::min<std::size_t>(words, 2);
    } else if (command.keys == keys_at::first_two) {
        end = std::min<std::size_t>(words, 3);
    }
    std::vector<std::size_t> places;
    for (std::size_t place = 1; place < end; place += step) {
        places.push_back(place);
    }
    return places;
}

} // namespace leat::routing
