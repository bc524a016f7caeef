#include "lua_shrink.hpp"

#include "lua_inline.hpp"
#include "lua_tree.hpp"

#include <algorithm>
#include <set>

namespace embed_scripts {
namespace {

const std::set<std::string> pure_functions{"tonumber", "tostring", "unpack"};

// Whether to leave an expression out changes nothing.
bool is_pure(const lua_tree& tree, int from, int to) {
    for (int at = from; at < to; ++at) {
        if (tree.is(at, "function") ||
            (tree.is(at, "(") && !pure_functions.contains(tree.tokens[static_cast<std::size_t>(at - 1)].text))) {
            return false;
        }
    }
    return true;
}

// The locals that `local a, b ...` declares, and where its values begin; nothing for `local function`.
std::vector<int> declared_by(const lua_tree& tree, const lua_tree::statement& of, int& values) {
    std::vector<int> found;
    if (!tree.is(of.from, "local") || tree.is(of.from + 1, "function")) {
        return found;
    }
    int at = of.from + 1;
    found.push_back(tree.meaning[static_cast<std::size_t>(at)]);
    for (++at; at < of.to && tree.is(at, ","); at += 2) {
        found.push_back(tree.meaning[static_cast<std::size_t>(at) + 1]);
    }
    values = at < of.to ? at + 1 : of.to;
    return found;
}

const lua_tree::local& local_at(const lua_tree& tree, int number) {
    return tree.locals[static_cast<std::size_t>(number)];
}

std::vector<edit> drop_unused(const lua_tree& tree) {
    std::vector<edit> edits;
    auto drop = [&](int from, int to) {
        if (edits.empty() || from >= edits.back().to) {
            edits.push_back({from, to, {}});
        }
    };
    for (const auto& each : tree.statements) {
        if (tree.is(each.from, "local") && tree.is(each.from + 1, "function")) {
            const auto& named = local_at(tree, tree.meaning[static_cast<std::size_t>(each.from) + 2]);
            auto inside = [&](int use) { return each.from <= use && use < each.to; };
            if (std::all_of(named.uses.begin(), named.uses.end(), inside)) {
                drop(each.from, each.to);
            }
            continue;
        }
        int values = 0;
        auto names = declared_by(tree, each, values);
        bool unused =
            std::all_of(names.begin(), names.end(), [&](int name) { return local_at(tree, name).uses.empty(); });
        if (!names.empty() && unused && is_pure(tree, values, each.to)) {
            drop(each.from, each.to);
        }
    }
    return edits;
}

// `local NAME = LITERAL` that nothing assigns to, and nothing looks into.
std::vector<edit> fold_literals(const lua_tree& tree) {
    std::vector<edit> edits;
    for (const auto& each : tree.statements) {
        int values = 0;
        auto names = declared_by(tree, each, values);
        if (names.size() != 1 || each.to != each.from + 4) {
            continue;
        }
        const auto& named = local_at(tree, names[0]);
        const auto& value = tree.tokens[static_cast<std::size_t>(each.from) + 3];
        bool looked_into = std::any_of(named.uses.begin(), named.uses.end(), [&](int use) {
            return tree.is(use + 1, ".") || tree.is(use + 1, ":") || tree.is(use + 1, "[") || tree.is(use + 1, "(");
        });
        if (value.is != lua_token::kind::literal || named.assigned || looked_into) {
            continue;
        }
        edits.push_back({each.from, each.to, {}});
        for (auto use : named.uses) {
            auto put = tree.tokens[static_cast<std::size_t>(use)];
            put.is = value.is;
            put.text = value.text;
            edits.push_back({use, use + 1, {put}});
        }
    }
    return edits;
}

int innermost_block(const lua_tree& tree, int at) {
    int found = 0;
    for (std::size_t i = 0; i < tree.blocks.size(); ++i) {
        const auto& each = tree.blocks[i];
        const auto& best = tree.blocks[static_cast<std::size_t>(found)];
        if (each.from <= at && at < each.to && each.to - each.from <= best.to - best.from) {
            found = static_cast<int>(i);
        }
    }
    return found;
}

int parent_of(const lua_tree& tree, int block) {
    return tree.blocks[static_cast<std::size_t>(block)].parent;
}

// The block that contains all uses, and runs no more often than `outer`.
int common_block(const lua_tree& tree, const std::vector<int>& uses, int outer) {
    auto common = innermost_block(tree, uses.front());
    for (auto use : uses) {
        const auto* block = &tree.blocks[static_cast<std::size_t>(common)];
        while (use < block->from || use >= block->to) {
            common = block->parent;
            block = &tree.blocks[static_cast<std::size_t>(common)];
        }
    }
    for (int block = common; block != outer; block = parent_of(tree, block)) {
        if (tree.blocks[static_cast<std::size_t>(block)].loops) {
            common = parent_of(tree, block);
        }
    }
    return common;
}

// A function that only a branch needs is made there.
std::vector<edit> move_into_branch(const lua_tree& tree) {
    for (std::size_t i = tree.statements.size(); i-- > 0;) {
        const auto& each = tree.statements[i];
        if (!tree.is(each.from, "local") || !tree.is(each.from + 1, "function")) {
            continue;
        }
        const auto& named = local_at(tree, tree.meaning[static_cast<std::size_t>(each.from) + 2]);
        std::vector<int> uses;
        std::copy_if(
            named.uses.begin(), named.uses.end(), std::back_inserter(uses), [&](int use) { return use >= each.to; });
        auto target = uses.empty() ? each.block : common_block(tree, uses, each.block);
        if (target == each.block) {
            continue;
        }
        int before = -1;
        for (const auto& other : tree.statements) {
            if (other.block == target && other.from <= uses.front() && uses.front() < other.to) {
                before = other.from;
            }
        }
        if (before < 0 || !means_the_same(tree, each.from, each.to, before)) {
            continue;
        }
        std::vector<lua_token> moved{tree.tokens.begin() + each.from, tree.tokens.begin() + each.to};
        return {{each.from, each.to, {}}, {before, before, moved}};
    }
    return {};
}

} // namespace

std::string shrink_lua(const std::string& text) {
    auto tree = read_lua(lua_tokens(text));
    int number = 0;
    auto apply = [&](std::vector<edit> edits) {
        if (edits.empty()) {
            return false;
        }
        tree = read_lua(edited(tree, std::move(edits)));
        return true;
    };
    while (apply(drop_unused(tree)) || apply(fold_literals(tree)) || apply(inline_expressions(tree)) ||
           apply(inline_once(tree, ++number)) || apply(move_into_branch(tree))) {
    }
    return lua_from(tree.tokens);
}

std::vector<free_name> free_names(const std::string& text) {
    auto tree = read_lua(lua_tokens(text));
    std::vector<free_name> found;
    for (std::size_t i = 0; i < tree.tokens.size(); ++i) {
        if (tree.meaning[i] == lua_tree::global) {
            found.push_back({tree.tokens[i].text, tree.tokens[i].line});
        }
    }
    return found;
}

std::vector<std::string> declared_names(const std::string& text) {
    auto tree = read_lua(lua_tokens(text));
    std::vector<std::string> found;
    for (const auto& each : tree.locals) {
        if (innermost_block(tree, each.declared) == 0 && each.to == static_cast<int>(tree.tokens.size()) - 1) {
            found.push_back(each.name);
        }
    }
    return found;
}

int count_functions(const std::string& text) {
    auto tree = read_lua(lua_tokens(text));
    int count = 0;
    for (std::size_t i = 1; i < tree.functions.size(); ++i) {
        auto block = tree.blocks[static_cast<std::size_t>(tree.functions[i].body)].parent;
        while (block >= 0 && !tree.blocks[static_cast<std::size_t>(block)].loops) {
            block = parent_of(tree, block);
        }
        count += block < 0 ? 1 : 0;
    }
    return count;
}

} // namespace embed_scripts
