// A script does the same, and in the same order, when it was shrunk: both are run.
#include "embed_scripts/lua_shrink.hpp"
#include "support/private_server.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace leat::tests {
namespace {

// Each pushes what it does to the list `log`, and returns something.
const std::vector<std::string> texts{
    // returns at once, from branches, with fewer and more values, and at the end
    R"(local function pick(n)
        if n == 1 then return 'one' elseif n == 2 then return 'two', 2, note('more') end
        if n > 5 then note('many') return end
        return nil, n
    end
    local out = {}
    local a, b = pick(tonumber(ARGV[1]))
    return {tostring(a), tostring(b)})",
    // the same in the tail, and where nobody takes the values
    R"(local function deep(n)
        for i = 1, 9 do if i == n then return note('found') end end
        note('none')
    end
    local function run(n) if n > 4 then return deep(n) end note('small') end
    local function drop(n) if n == 2 then return note('dropped') end note('kept') end
    drop(tonumber(ARGV[1]))
    local a = 1
    if a == 1 then return run(tonumber(ARGV[1])) end
    return 'never')",
    // names that are taken where it is called
    R"(local total, n = 10, 3
    total = total + 1
    local function add(n, m) local total = total + n note(total) n = n + m return n, total end
    local function twice(x) return total + x end
    local x, y
    do local m = 5 n, m = add(n, m) x, y = n, m end
    local function shadow(total) return twice(total) end
    return {x, y, twice(n), shadow(2), shadow(total)})",
    // arguments: too few, too many, several values, side effects in order
    R"(local function two() note('two') return 1, 2 end
    local function take(a, b, c) note(tostring(a) .. tostring(b) .. tostring(c)) return c end
    local function less(a) note(tostring(a)) end
    local function wrapped(a) return note(a) end
    less(note('x'), note('y'))
    local c = take(two())
    local d = wrapped(two())
    return {tostring(c), tostring(d)})",
    // functions in functions, and what they share
    R"(local function counter(from)
        local n = from
        local function more() n = n + 1 return n end
        more()
        return more, function() return n end
    end
    local more, read = counter(5)
    local other = counter(1)
    more() other()
    return {more(), read(), other()})",
    // made in the branch that needs it, called by itself
    R"(local function sum(list, at) if not list[at] then return 0 end return list[at] + sum(list, at + 1) end
    local function say(what) note(what) note(what .. '!') end
    local function both(what) say(what) say(what .. '?') end
    if ARGV[1] == '2' then both('a') both('b') elseif ARGV[1] == '6' then for i = 1, 2 do both(i) end end
    return sum({1, 2, 3, 4}, 1))",
    // loops that are left, and a condition that sees a local
    R"(local function first(list)
        local found
        for _, each in ipairs(list) do if each > 2 then found = each break end end
        return found
    end
    local n = 0
    repeat local enough = n > 2 n = n + 1 note(n) until enough
    local function grow(by) n = n + by if n > 6 then return 'big' end return 'small' end
    while n < 9 do local what = grow(2) note(what) end
    local result
    result = first({1, 2, 3, 4})
    return {result, n})",
    // errors come from where they came from
    R"(local function fails(a) note('before') return a.b.c end
    local ok = pcall(fails, {})
    local got = fails({b = {c = 7}})
    local function wrong(a) note('in') local x = a .. {} note('never') return x end
    local text = wrong('t')
    return text)",
    // constants and calls in tables and texts
    R"(local most, name = 4, 'n'
    local function label(x) return name .. ':' .. x end
    local function half(x) return x / 2 end
    local list = {most = most, label(most), [most] = half(most), name = label('z'), -half(8), label(label(1))}
    return {list.most, list[1], tostring(list[4]), list.name, list[2], list[3], #list, 10 - half(2) - half(2)})"};

class shrink : public testing::TestWithParam<std::string> {
protected:
    std::string run(const std::string& text, const std::string& argument) {
        redis.call({"DEL", "log"});
        auto given = redis.call({"EVAL", text, "0", argument});
        std::string out = given.failed() ? "failed" : given.text + "/" + std::to_string(given.whole);
        for (const auto& each : given.items) {
            out += "," + each.text + "/" + std::to_string(each.whole);
        }
        for (const auto& each : redis.call({"LRANGE", "log", "0", "-1"}).texts()) {
            out += ";" + each;
        }
        return out;
    }

    private_server server{GetParam()};
    client redis = server.connect();
};

TEST_P(shrink, a_script_does_the_same) {
    const std::string note = "local function note(what) redis.call('RPUSH', 'log', tostring(what)) return what end\n";
    for (const auto& text : texts) {
        auto small = embed_scripts::shrink_lua(note + text);
        for (const auto* argument : {"1", "2", "3", "6"}) {
            EXPECT_EQ(run(small, argument), run(note + text, argument)) << small;
        }
        EXPECT_LE(embed_scripts::count_functions(small), embed_scripts::count_functions(note + text));
    }
}

INSTANTIATE_TEST_SUITE_P(servers, shrink, testing::ValuesIn(server_flavours()));

} // namespace
} // namespace leat::tests
