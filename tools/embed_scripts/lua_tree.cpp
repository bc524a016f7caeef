#include "lua_tree.hpp"

#include <set>
#include <stdexcept>

namespace embed_scripts {
namespace {

using kind = lua_token::kind;

const std::set<std::string> operators{"+",  "-", "*",  "/",  "^",  "%",   "..", "<",
                                      "<=", ">", ">=", "==", "~=", "and", "or"};

// Recursive descent, as the manual's grammar of Lua 5.1 has it.
class parser {
public:
    explicit parser(std::vector<lua_token> tokens) {
        tree_.tokens = std::move(tokens);
        tree_.meaning.assign(tree_.tokens.size(), lua_tree::no_variable);
        tree_.functions.push_back({0, static_cast<int>(tree_.tokens.size()) - 1, 0, {}, true, {}});
    }

    lua_tree parse() {
        block(0, false);
        if (token().is != kind::end) {
            fail("`" + token().text + "` closes nothing");
        }
        return std::move(tree_);
    }

private:
    const lua_token& token(int ahead = 0) const {
        return tree_.tokens[static_cast<std::size_t>(at_) + static_cast<std::size_t>(ahead)];
    }
    bool is(const std::string& text) const { return token().is != kind::literal && token().text == text; }
    bool accept(const std::string& text) {
        bool met = is(text);
        at_ += met ? 1 : 0;
        return met;
    }
    void expect(const std::string& text) {
        if (!accept(text)) {
            fail("expected `" + text + "`, found `" + token().text + "`");
        }
    }
    [[noreturn]] void fail(const std::string& what) const {
        throw std::runtime_error{std::to_string(token().line) + ": " + what};
    }

    int name() {
        if (token().is != kind::name) {
            fail("expected a name, found `" + token().text + "`");
        }
        return at_++;
    }

    int declare(int place, int from) {
        auto number = static_cast<int>(tree_.locals.size());
        tree_.locals.push_back({token_at(place), place, from, 0, {}, false, -1});
        tree_.meaning[static_cast<std::size_t>(place)] = number;
        visible_.push_back(number);
        return number;
    }
    const std::string& token_at(int place) const { return tree_.tokens[static_cast<std::size_t>(place)].text; }

    void use(int place) {
        auto& meaning = tree_.meaning[static_cast<std::size_t>(place)];
        meaning = lua_tree::global;
        for (auto each = visible_.rbegin(); each != visible_.rend(); ++each) {
            auto& known = tree_.locals[static_cast<std::size_t>(*each)];
            if (known.name == token_at(place) && known.from <= place) {
                meaning = *each;
                known.uses.push_back(place);
                return;
            }
        }
    }

    bool ends_block() const {
        return token().is == kind::end || is("end") || is("else") || is("elseif") || is("until");
    }

    // Returns its number. Its locals are visible until `close`.
    int open(int function, bool loops) {
        auto number = static_cast<int>(tree_.blocks.size());
        tree_.blocks.push_back({at_, 0, block_, function, loops});
        block_ = number;
        return number;
    }
    void close(int number, std::size_t visible) {
        auto& closed = tree_.blocks[static_cast<std::size_t>(number)];
        closed.to = at_;
        block_ = closed.parent;
        while (visible_.size() > visible) {
            tree_.locals[static_cast<std::size_t>(visible_.back())].to = at_;
            visible_.pop_back();
        }
    }

    int block(int function, bool loops) {
        auto visible = visible_.size();
        auto number = open(function, loops);
        while (!ends_block()) {
            statement(function);
        }
        close(number, visible);
        return number;
    }

    void statement(int function) {
        auto number = tree_.statements.size();
        tree_.statements.push_back({at_, 0, block_});
        if (is("if")) {
            branches(function);
        } else if (accept("while")) {
            expression(function);
            expect("do");
            block(function, true);
            expect("end");
        } else if (accept("do")) {
            block(function, false);
            expect("end");
        } else if (accept("for")) {
            loop(function);
        } else if (accept("repeat")) {
            repetition(function);
        } else if (is("function")) {
            named_function();
        } else if (accept("local")) {
            declaration(function);
        } else if (accept("return")) {
            tree_.functions[static_cast<std::size_t>(function)].returns.push_back(static_cast<int>(number));
            if (!ends_block() && !is(";")) {
                expressions(function);
            }
        } else if (!accept("break")) {
            assignment(function);
        }
        accept(";");
        tree_.statements[number].to = at_;
    }

    void branches(int function) {
        do {
            ++at_; // if, elseif
            expression(function);
            expect("then");
            block(function, false);
        } while (is("elseif"));
        if (accept("else")) {
            block(function, false);
        }
        expect("end");
    }

    void loop(int function) {
        std::vector<int> names{name()};
        while (accept(",")) {
            names.push_back(name());
        }
        if (!accept("=")) {
            expect("in");
        }
        expressions(function);
        expect("do");
        auto visible = visible_.size();
        for (auto each : names) {
            declare(each, at_);
        }
        block(function, true);
        while (visible_.size() > visible) {
            tree_.locals[static_cast<std::size_t>(visible_.back())].to = at_;
            visible_.pop_back();
        }
        expect("end");
    }

    void repetition(int function) { // its condition sees its locals
        auto visible = visible_.size();
        auto number = open(function, true);
        while (!ends_block()) {
            statement(function);
        }
        expect("until");
        expression(function);
        close(number, visible);
    }

    void named_function() {
        auto from = at_++;
        use(name());
        while (accept(".") || accept(":")) {
            name();
        }
        function_body(from);
    }

    void declaration(int function) {
        auto from = at_ - 1;
        if (accept("function")) {
            auto number = declare(name(), at_);
            auto made = function_body(from);
            tree_.locals[static_cast<std::size_t>(number)].function = made;
            return;
        }
        std::vector<int> names{name()};
        while (accept(",")) {
            names.push_back(name());
        }
        if (accept("=")) {
            expressions(function);
        }
        for (auto each : names) {
            declare(each, at_);
        }
    }

    int function_body(int from) {
        auto number = static_cast<int>(tree_.functions.size());
        tree_.functions.push_back({from, 0, 0, {}, false, {}});
        expect("(");
        auto visible = visible_.size();
        std::vector<int> parameters;
        bool varies = false;
        while (!is(")")) {
            if (accept("...")) {
                varies = true;
            } else {
                parameters.push_back(declare(name(), at_));
            }
            if (!accept(",")) {
                break;
            }
        }
        expect(")");
        auto body = block(number, true);
        while (visible_.size() > visible) {
            tree_.locals[static_cast<std::size_t>(visible_.back())].to = at_;
            visible_.pop_back();
        }
        expect("end");
        auto& made = tree_.functions[static_cast<std::size_t>(number)];
        made.to = at_;
        made.body = body;
        made.parameters = std::move(parameters);
        made.varies = varies;
        return number;
    }

    void assignment(int function) {
        std::vector<int> targets;
        do {
            auto first = at_;
            prefix(function);
            if (at_ == first + 1) {
                targets.push_back(first);
            }
        } while (accept(","));
        if (accept("=")) {
            for (auto each : targets) {
                auto meaning = tree_.meaning[static_cast<std::size_t>(each)];
                if (meaning >= 0) {
                    tree_.locals[static_cast<std::size_t>(meaning)].assigned = true;
                }
            }
            expressions(function);
        }
    }

    void expressions(int function) {
        do {
            expression(function);
        } while (accept(","));
    }

    void expression(int function) {
        while (accept("not") || accept("-") || accept("#")) {
        }
        if (accept("function")) {
            function_body(at_ - 1);
        } else if (is("{")) {
            table(function);
        } else if (token().is == kind::literal || is("nil") || is("true") || is("false") || is("...")) {
            ++at_;
        } else {
            prefix(function);
        }
        if (token().is != kind::literal && operators.contains(token().text)) {
            ++at_;
            expression(function);
        }
    }

    void prefix(int function) {
        if (accept("(")) {
            expression(function);
            expect(")");
        } else {
            use(name());
        }
        while (true) {
            if (accept(".")) {
                name();
            } else if (accept("[")) {
                expression(function);
                expect("]");
            } else if (accept(":")) {
                name();
                arguments(function);
            } else if (is("(") || is("{") || is_text()) {
                arguments(function);
            } else {
                return;
            }
        }
    }

    bool is_text() const {
        return token().is == kind::literal && (token().text.front() == '\'' || token().text.front() == '"');
    }

    void arguments(int function) {
        if (is("{")) {
            table(function);
        } else if (is_text()) {
            ++at_;
        } else {
            expect("(");
            if (!is(")")) {
                expressions(function);
            }
            expect(")");
        }
    }

    void table(int function) {
        expect("{");
        while (!is("}")) {
            if (accept("[")) {
                expression(function);
                expect("]");
                expect("=");
            } else if (token().is == kind::name && token(1).is == kind::sign && token(1).text == "=") {
                at_ += 2;
            }
            expression(function);
            if (!accept(",") && !accept(";")) {
                break;
            }
        }
        expect("}");
    }

    lua_tree tree_;
    int at_ = 0;
    int block_ = -1;
    std::vector<int> visible_;
};

} // namespace

int lua_tree::resolve(const std::string& name, int at) const {
    int found = global;
    for (std::size_t i = 0; i < locals.size(); ++i) {
        const auto& each = locals[i];
        if (each.name == name && each.from <= at && at < each.to &&
            (found == global || each.from >= locals[static_cast<std::size_t>(found)].from)) {
            found = static_cast<int>(i);
        }
    }
    return found;
}

int lua_tree::statement_at(int from) const {
    for (std::size_t i = statements.size(); i-- > 0;) {
        if (statements[i].from == from) {
            return static_cast<int>(i);
        }
    }
    return -1;
}

lua_tree read_lua(std::vector<lua_token> tokens) {
    return parser{std::move(tokens)}.parse();
}

} // namespace embed_scripts
