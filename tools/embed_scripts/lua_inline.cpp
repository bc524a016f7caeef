#include "lua_inline.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace embed_scripts {
namespace {

using kind = lua_token::kind;
using tokens = std::vector<lua_token>;

const lua_token& token_of(const lua_tree& tree, int at) {
    return tree.tokens[static_cast<std::size_t>(at)];
}
int meaning_of(const lua_tree& tree, int at) {
    return tree.meaning[static_cast<std::size_t>(at)];
}
const lua_tree::local& local_of(const lua_tree& tree, int number) {
    return tree.locals[static_cast<std::size_t>(number)];
}
tokens part(const lua_tree& tree, int from, int to) {
    return {tree.tokens.begin() + from, tree.tokens.begin() + to};
}
bool is_sign(const lua_token& token, const char* text) {
    return token.is != kind::literal && token.text == text;
}
void append(tokens& to, const tokens& more) {
    to.insert(to.end(), more.begin(), more.end());
}
void append(tokens& to, kind is, const std::string& text, int line) {
    to.push_back({is, text, line, true});
}

// Where the bracket that opens at a place is closed.
int closing(const lua_tree& tree, int open) {
    int depth = 0;
    for (int at = open;; ++at) {
        const auto& text = token_of(tree, at);
        if (is_sign(text, "(") || is_sign(text, "{") || is_sign(text, "[")) {
            ++depth;
        } else if (is_sign(text, ")") || is_sign(text, "}") || is_sign(text, "]")) {
            if (--depth == 0) {
                return at;
            }
        }
    }
}

struct span {
    int from = 0, to = 0;
};

// What stands between commas; false when a function is among it, whose commas are its own.
bool split(const lua_tree& tree, int from, int to, std::vector<span>& out) {
    int depth = 0;
    int begin = from;
    for (int at = from; at < to; ++at) {
        const auto& text = token_of(tree, at);
        if (is_sign(text, "function")) {
            return false;
        }
        if (is_sign(text, "(") || is_sign(text, "{") || is_sign(text, "[")) {
            ++depth;
        } else if (is_sign(text, ")") || is_sign(text, "}") || is_sign(text, "]")) {
            --depth;
        } else if (depth == 0 && is_sign(text, ",")) {
            out.push_back({begin, at});
            begin = at + 1;
        }
    }
    if (from < to) {
        out.push_back({begin, to});
    }
    return true;
}

bool any(const lua_tree& tree, int from, int to, std::initializer_list<const char*> texts) {
    for (int at = from; at < to; ++at) {
        for (const auto* text : texts) {
            if (is_sign(token_of(tree, at), text)) {
                return true;
            }
        }
    }
    return false;
}

// --- expressions -----------------------------------------------------------------------------------------------------

struct expression {
    const lua_tree::function* of = nullptr;
    int from = 0, to = 0;
    bool is_call = false; // as a whole: it may have several values
};

// What a local function returns, if it does nothing else.
bool read_expression(const lua_tree& tree, const lua_tree::local& named, expression& out) {
    out.of = &tree.functions[static_cast<std::size_t>(named.function)];
    const auto& body = tree.blocks[static_cast<std::size_t>(out.of->body)];
    if (named.assigned || out.of->varies || out.of->returns.size() != 1) {
        return false;
    }
    const auto& only = tree.statements[static_cast<std::size_t>(out.of->returns[0])];
    out.from = only.from + 1;
    out.to = only.to;
    std::vector<span> values;
    if (only.from != body.from || only.to != body.to || !split(tree, out.from, out.to, values) || values.size() != 1) {
        return false;
    }
    int at = out.from; // name.name(...)
    while (at + 1 < out.to && token_of(tree, at).is == kind::name && is_sign(token_of(tree, at + 1), ".")) {
        at += 2;
    }
    out.is_call = token_of(tree, at).is == kind::name && is_sign(token_of(tree, at + 1), "(") &&
                  closing(tree, at + 1) == out.to - 1;
    return true;
}

bool reads_what_changes(const lua_tree& tree, const expression& of) {
    for (int at = of.from; at < of.to; ++at) {
        auto meaning = meaning_of(tree, at);
        if (meaning >= 0 && local_of(tree, meaning).assigned) {
            return true;
        }
    }
    return false;
}

bool is_looked_into(const lua_tree& tree, const lua_tree::local& named) {
    return std::any_of(named.uses.begin(), named.uses.end(), [&](int use) {
        const auto& next = token_of(tree, use + 1);
        return is_sign(next, ".") || is_sign(next, ":") || is_sign(next, "[") || is_sign(next, "(");
    });
}

// Whether an argument may stand where its parameter does: as often, in another order.
bool may_stand(const lua_tree& tree, const expression& in, const span& argument, const lua_tree::local& parameter) {
    if (argument.to == argument.from + 1 && !is_sign(token_of(tree, argument.from), "...")) {
        return token_of(tree, argument.from).is != kind::literal || !is_looked_into(tree, parameter);
    }
    if (parameter.uses.size() != 1 || any(tree, argument.from, argument.to, {"...", "function"})) {
        return false;
    }
    bool acts = any(tree, argument.from, argument.to, {"(", "{"});
    return !acts || (in.of->parameters.size() == 1 && !any(tree, in.from, in.to, {"and", "or"}) &&
                     !reads_what_changes(tree, in));
}

tokens substituted(const lua_tree& tree, const expression& in, const std::vector<span>& arguments, int line) {
    tokens out;
    for (int at = in.from; at < in.to; ++at) {
        auto parameter = std::find(in.of->parameters.begin(), in.of->parameters.end(), meaning_of(tree, at));
        if (parameter == in.of->parameters.end()) {
            out.push_back(token_of(tree, at));
        } else {
            auto argument = arguments[static_cast<std::size_t>(parameter - in.of->parameters.begin())];
            bool simple = argument.to == argument.from + 1;
            if (!simple) {
                append(out, kind::sign, "(", line);
            }
            append(out, part(tree, argument.from, argument.to));
            if (!simple) {
                append(out, kind::sign, ")", line);
            }
        }
        out.back().line = line;
    }
    if (!in.is_call) {
        out.insert(out.begin(), {kind::sign, "(", line, true});
        append(out, kind::sign, ")", line);
    }
    for (auto& each : out) {
        each.line = line;
    }
    out.front().spaced = true;
    return out;
}

// --- bodies ----------------------------------------------------------------------------------------------------------

// A call that is all of a statement: f(...), return f(...), local a, b = f(...), a, b = f(...).
struct call {
    enum class form { none, statement, tail, declares, assigns };
    form is = form::none;
    span all, arguments;
    std::vector<std::string> targets;
};

call read_call(const lua_tree& tree, int use) {
    call found;
    if (!is_sign(token_of(tree, use + 1), "(")) {
        return found;
    }
    auto close = closing(tree, use + 1);
    found.arguments = {use + 2, close};
    for (const auto& each : tree.statements) {
        if (each.from <= use && use < each.to) {
            found.all = {each.from, each.to};
        }
    }
    if (found.all.to != close + 1) {
        return found;
    }
    int at = found.all.from;
    if (at == use) {
        found.is = call::form::statement;
        return found;
    }
    if (is_sign(token_of(tree, at), "return") && at + 1 == use) {
        found.is = call::form::tail;
        return found;
    }
    bool declares = is_sign(token_of(tree, at), "local");
    for (at += declares ? 1 : 0; at < use && token_of(tree, at).is == kind::name; at += 2) {
        found.targets.push_back(token_of(tree, at).text);
        if (is_sign(token_of(tree, at + 1), "=") && at + 2 == use) {
            found.is = declares ? call::form::declares : call::form::assigns;
        } else if (!is_sign(token_of(tree, at + 1), ",")) {
            break;
        }
    }
    return found;
}

class body_writer {
public:
    body_writer(const lua_tree& tree, const lua_tree::function& of, call at, int number)
        : tree_{tree}
        , of_{of}
        , body_{tree.blocks[static_cast<std::size_t>(of.body)]}
        , call_{std::move(at)}
        , number_{number}
        , line_{token_of(tree, call_.all.from).line} {}

    bool can() const {
        if (call_.is != call::form::tail && returns_in_loop()) {
            return false;
        }
        for (int at = of_.from; at < of_.to; ++at) { // it must not meet what it is assigned to
            bool is_free = meaning_of(tree_, at) == lua_tree::global ||
                           (meaning_of(tree_, at) >= 0 && local_of(tree_, meaning_of(tree_, at)).declared < of_.from);
            const auto& targets = call_.targets;
            if (is_free && std::find(targets.begin(), targets.end(), token_of(tree_, at).text) != targets.end()) {
                return false;
            }
        }
        return means_the_same(tree_, of_.from, of_.to, call_.all.from);
    }

    tokens write() {
        read_arguments();
        if (call_.is == call::form::tail) {
            write_parameters();
            append(out_, renamed(body_.from, body_.to));
            if (!ends_with_return()) {
                word("return");
            }
            return out_;
        }
        if (call_.is == call::form::declares) {
            word("local");
            write_targets();
        }
        bool leaves_early = of_.returns.size() > (ends_with_return() ? 1U : 0U);
        word(leaves_early ? "repeat" : "do");
        write_parameters();
        write_body(leaves_early);
        word(leaves_early ? "until" : "end");
        if (leaves_early) {
            word("true");
        }
        return out_;
    }

private:
    void word(const std::string& text) { append(out_, kind::keyword, text, line_); }
    void sign(const std::string& text) { append(out_, kind::sign, text, line_); }

    bool ends_with_return() const {
        return !of_.returns.empty() && tree_.statements[static_cast<std::size_t>(of_.returns.back())].to == body_.to &&
               tree_.statements[static_cast<std::size_t>(of_.returns.back())].block == of_.body;
    }

    bool returns_in_loop() const {
        return std::any_of(of_.returns.begin(), of_.returns.end(), [&](int each) {
            auto block = tree_.statements[static_cast<std::size_t>(each)].block;
            while (block != of_.body && !tree_.blocks[static_cast<std::size_t>(block)].loops) {
                block = tree_.blocks[static_cast<std::size_t>(block)].parent;
            }
            return block != of_.body;
        });
    }

    // A name that nothing assigns to, or a literal, stands for its parameter itself.
    void read_arguments() {
        std::vector<span> given;
        bool known = split(tree_, call_.arguments.from, call_.arguments.to, given);
        for (std::size_t i = 0; i < of_.parameters.size(); ++i) {
            auto number = of_.parameters[i];
            const auto& parameter = local_of(tree_, number);
            names_[number] = parameter.name + "_" + std::to_string(number_);
            if (!known || i >= given.size() || given[i].to != given[i].from + 1 || parameter.assigned) {
                continue;
            }
            const auto& argument = token_of(tree_, given[i].from);
            auto meaning = meaning_of(tree_, given[i].from);
            bool stays = meaning >= 0 && !local_of(tree_, meaning).assigned;
            bool literal = argument.is == kind::literal && !is_looked_into(tree_, parameter);
            if (stays || literal) {
                names_[number] = argument.text;
                replaced_[number] = argument.is;
            }
        }
        for (std::size_t i = 0; i < tree_.locals.size(); ++i) {
            const auto& each = tree_.locals[i];
            if (of_.from <= each.declared && each.declared < of_.to && !names_.contains(static_cast<int>(i))) {
                names_[static_cast<int>(i)] = each.name + "_" + std::to_string(number_);
            }
        }
        given_ = std::move(given);
        split_ = known;
    }

    tokens renamed(int from, int to) const {
        auto out = part(tree_, from, to);
        for (int at = from; at < to; ++at) {
            auto name = names_.find(meaning_of(tree_, at));
            auto& token = out[static_cast<std::size_t>(at - from)];
            if (name != names_.end() && meaning_of(tree_, at) >= 0) {
                token.text = name->second;
                auto kind_of_it = replaced_.find(name->first);
                token.is = kind_of_it == replaced_.end() ? token.is : kind_of_it->second;
            }
        }
        return out;
    }

    void write_parameters() {
        tokens names, values;
        auto count = split_ ? std::max(given_.size(), of_.parameters.size()) : of_.parameters.size();
        for (std::size_t i = 0; i < count; ++i) {
            bool named = i < of_.parameters.size();
            if (named && replaced_.contains(of_.parameters[i])) {
                continue;
            }
            if (!names.empty()) {
                append(names, kind::sign, ",", line_);
            }
            append(names, kind::name, named ? names_[of_.parameters[i]] : "_", line_);
            if (split_ && i < given_.size()) {
                if (!values.empty()) {
                    append(values, kind::sign, ",", line_);
                }
                append(values, part(tree_, given_[i].from, given_[i].to));
            }
        }
        if (!split_) {
            values = part(tree_, call_.arguments.from, call_.arguments.to);
        }
        if (names.empty()) {
            return;
        }
        word("local");
        append(out_, names);
        if (!values.empty()) {
            sign("=");
            values.front().spaced = true;
            append(out_, values);
        }
    }

    void write_targets() {
        for (std::size_t i = 0; i < call_.targets.size(); ++i) {
            if (i > 0) {
                sign(",");
            }
            append(out_, kind::name, call_.targets[i], line_);
        }
    }

    // TARGETS = VALUES; what nobody takes is computed all the same.
    void write_values(int from, int to) {
        if (from == to) {
            if (call_.is == call::form::assigns) {
                write_targets();
                sign("=");
                word("nil");
            }
            return;
        }
        if (call_.targets.empty()) {
            word("local");
            append(out_, kind::name, "_", line_);
        } else {
            write_targets();
        }
        sign("=");
        auto values = renamed(from, to);
        values.front().spaced = true;
        append(out_, values);
    }

    void write_body(bool leaves_early) {
        int at = body_.from;
        for (auto each : of_.returns) {
            const auto& leaving = tree_.statements[static_cast<std::size_t>(each)];
            append(out_, renamed(at, leaving.from));
            line_ = token_of(tree_, leaving.from).line;
            write_values(leaving.from + 1, leaving.to);
            if (leaves_early && leaving.to != body_.to) {
                word("break");
            }
            at = leaving.to;
        }
        append(out_, renamed(at, body_.to));
        if (!ends_with_return()) {
            write_values(0, 0);
        }
    }

    const lua_tree& tree_;
    const lua_tree::function& of_;
    const lua_tree::block& body_;
    call call_;
    int number_;
    int line_;
    std::vector<span> given_;
    bool split_ = false;
    std::map<int, std::string> names_; // of locals
    std::map<int, kind> replaced_;     // parameters that an argument stands for
    tokens out_;
};

} // namespace

std::vector<lua_token> edited(const lua_tree& tree, std::vector<edit> edits) {
    std::multimap<int, edit> in_order; // those at one place stay in the order that they were made in
    for (auto& each : edits) {
        in_order.emplace(each.from, std::move(each));
    }
    tokens out;
    int at = 0;
    for (const auto& [from, each] : in_order) {
        append(out, part(tree, at, each.from));
        append(out, each.with);
        at = each.to;
    }
    append(out, part(tree, at, static_cast<int>(tree.tokens.size())));
    return out;
}

bool means_the_same(const lua_tree& tree, int from, int to, int elsewhere) {
    for (int at = from; at < to; ++at) {
        auto meaning = meaning_of(tree, at);
        bool own = meaning >= 0 && local_of(tree, meaning).declared >= from && local_of(tree, meaning).declared < to;
        if (meaning != lua_tree::no_variable && !own && tree.resolve(token_of(tree, at).text, elsewhere) != meaning) {
            return false;
        }
    }
    return true;
}

std::vector<edit> inline_expressions(const lua_tree& tree) {
    std::vector<edit> edits;
    for (const auto& named : tree.locals) {
        expression found;
        if (named.function < 0 || !read_expression(tree, named, found)) {
            continue;
        }
        if (!named.uses.empty() && named.uses.front() < found.of->to) {
            continue; // it calls itself
        }
        int last = 0;
        for (auto use : named.uses) {
            if (use < last || !is_sign(token_of(tree, use + 1), "(")) {
                continue;
            }
            auto close = closing(tree, use + 1);
            std::vector<span> arguments;
            bool fits = split(tree, use + 2, close, arguments) && arguments.size() == found.of->parameters.size();
            for (std::size_t i = 0; fits && i < arguments.size(); ++i) {
                fits = may_stand(tree, found, arguments[i], local_of(tree, found.of->parameters[i]));
            }
            bool is_statement = tree.statement_at(use) >= 0;
            if (fits && (found.is_call || !is_statement) && means_the_same(tree, found.of->from, found.of->to, use)) {
                edits.push_back({use, close + 1, substituted(tree, found, arguments, token_of(tree, use).line)});
                last = close + 1;
            }
        }
        if (!edits.empty()) {
            return edits;
        }
    }
    return edits;
}

std::vector<edit> inline_once(const lua_tree& tree, int number) {
    for (const auto& named : tree.locals) {
        if (named.function < 0 || named.assigned || named.uses.size() != 1) {
            continue;
        }
        const auto& function = tree.functions[static_cast<std::size_t>(named.function)];
        if (function.varies || named.uses[0] < function.to) {
            continue;
        }
        auto at = read_call(tree, named.uses[0]);
        if (at.is == call::form::none) {
            continue;
        }
        body_writer writer{tree, function, at, number};
        if (writer.can()) {
            return {{function.from, function.to, {}}, {at.all.from, at.all.to, writer.write()}};
        }
    }
    return {};
}

} // namespace embed_scripts
