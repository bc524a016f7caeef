#include "config/yaml_reader.hpp"

#include "config/interpolate.hpp"

#include <spdlog/fmt/fmt.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <map>
#include <sstream>

namespace leat::config {

namespace {

// Builds the tree from yaml-cpp's events instead of from its nodes: those lose the quotes of a scalar and the second of
// two equal keys, and have no limits. Throwing ends the parse, so that yaml-cpp never goes deeper than we allow.
class tree_builder : public YAML::EventHandler {
public:
    tree_builder(const source& from, const environment& env, problems& found)
        : from_{from}
        , env_{env}
        , found_{found}
        , root_{value::null({from.file()})} {}

    value take() { return std::move(root_); }

    void OnDocumentStart(const YAML::Mark& mark) override {
        if (documents_++ > 0) {
            // yaml-cpp goes on with a new document also where only the indent is wrong.
            bool marked = mark.pos >= 0 && from_.text().substr(static_cast<std::size_t>(mark.pos)).starts_with("---");
            throw syntax_error{
                at(mark), marked ? "a second document starts here; a file holds one"
                                 : "is not valid YAML: this does not belong to what is above; check the indent"};
        }
    }
    void OnDocumentEnd() override {}

    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        // For yaml-cpp the empty value of a key is where the next word is, maybe lines below.
        bool has_key = !levels_.empty() && levels_.back().key;
        add(value::null(has_key ? levels_.back().key->where() : at(mark)), anchor);
    }

    void OnScalar(
        const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, const std::string& text) override {
        // yaml-cpp's word for unquoted is "?", for quoted "!".
        if (tag != "?" && tag != "!" && tag != "tag:yaml.org,2002:str") {
            throw syntax_error{at(mark), "tags are not supported but !!str"};
        }
        auto style = tag == "?" ? scalar_style::plain : scalar_style::exact;
        if (expects_key()) {
            add(style == scalar_style::plain ? value::of_plain(text, at(mark)) : value::of_text(text, at(mark)),
                anchor);
        } else {
            add(interpolated(text, at(mark), style, env_, found_), anchor);
        }
    }

    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        auto known = anchors_.find(anchor);
        if (known == anchors_.end()) {
            throw syntax_error{at(mark), "this alias refers to a value that holds it"};
        }
        const auto& [content, size] = known->second;
        if (levels_.size() + size.depth > most_depth) {
            throw syntax_error{at(mark), fmt::format("is nested more than {} levels deep", most_depth)};
        }
        grown_.add(size.values, size.bytes, at(mark)); // before there is a copy of it
        put(content, at(mark));
    }

    void OnSequenceStart(
        const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YAML::EmitterStyle::value) override {
        open(value_shape::list, mark, tag, anchor);
    }
    void OnSequenceEnd() override { close(); }

    void OnMapStart(
        const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YAML::EmitterStyle::value) override {
        open(value_shape::map, mark, tag, anchor);
    }
    void OnMapEnd() override { close(); }

private:
    struct level {
        value_shape shape;
        position where;
        YAML::anchor_t anchor;
        std::vector<value> items;
        std::vector<value::entry> entries;
        std::map<std::string, position, std::less<>> keys;
        std::optional<value> key;
    };

    struct anchored {
        value content;
        extent size;
    };

    position at(const YAML::Mark& mark) const {
        return mark.pos < 0 ? position{from_.file()} : from_.at(static_cast<std::size_t>(mark.pos));
    }

    bool expects_key() const {
        return !levels_.empty() && levels_.back().shape == value_shape::map && !levels_.back().key;
    }

    void open(value_shape shape, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
        if (tag != "?" && tag != "!" && !tag.empty()) {
            throw syntax_error{at(mark), "tags are not supported but !!str"};
        }
        if (expects_key()) {
            throw syntax_error{at(mark), "a key must be text"};
        }
        if (levels_.size() >= most_depth) {
            throw syntax_error{at(mark), fmt::format("is nested more than {} levels deep", most_depth)};
        }
        levels_.push_back({shape, at(mark), anchor, {}, {}, {}, {}});
    }

    void close() {
        auto done = std::move(levels_.back());
        levels_.pop_back();
        auto made = done.shape == value_shape::list ? value::of_list(std::move(done.items), std::move(done.where))
                                                    : value::of_map(std::move(done.entries), std::move(done.where));
        add(std::move(made), done.anchor);
    }

    void add(value content, YAML::anchor_t anchor) {
        // Of a list or map the parts are counted.
        bool is_text = !content.is_list() && !content.is_map();
        grown_.add(1, is_text ? extent_of(content).bytes : 0, content.where());
        if (anchor != 0) {
            auto size = extent_of(content);
            grown_.add(0, size.bytes, content.where()); // it is kept
            anchors_.insert_or_assign(anchor, anchored{content, size});
        }
        put(std::move(content));
    }

    void put(value content, const std::optional<position>& alias = {}) {
        if (levels_.empty()) {
            root_ = std::move(content);
        } else if (levels_.back().shape == value_shape::list) {
            levels_.back().items.push_back(std::move(content));
        } else if (expects_key()) {
            add_key(content, alias);
        } else {
            auto& map = levels_.back();
            map.entries.push_back({map.key->text(), map.key->where(), std::move(content)});
            map.key.reset();
        }
    }

    void add_key(const value& key, const std::optional<position>& alias) {
        auto where = alias.value_or(key.where());
        if (!key.is_text()) {
            throw syntax_error{where, fmt::format("a key must be text, found {}", describe(key))};
        }
        if (key.text() == "<<" && key.style() == scalar_style::plain) {
            throw syntax_error{where, "merging with << is not supported"};
        }
        auto [known, added] = levels_.back().keys.try_emplace(key.text(), where);
        if (!added) {
            found_.error(where, fmt::format("{} is set twice; first at {}", key.text(), to_string(known->second)));
        }
        levels_.back().key = value::of_text(key.text(), where);
    }

    const source& from_;
    const environment& env_;
    problems& found_;
    value root_;
    std::vector<level> levels_;
    std::map<YAML::anchor_t, anchored> anchors_;
    growth grown_;
    int documents_ = 0;
};

// yaml-cpp takes the end of the file for a closing quote when it stands at the start of a line. A comment there makes
// it notice.
std::string guarded(std::string_view text) {
    std::string made{text};
    if (text.ends_with('\n')) {
        made += '#';
    } else if (text.ends_with(' ') || text.ends_with('\t') || text.ends_with('\r')) {
        made += "\n#";
    }
    return made;
}

} // namespace

value read_yaml(const source& from, const environment& env, problems& found) {
    tree_builder builder{from, env, found};
    try {
        std::istringstream stream{guarded(from.text())};
        YAML::Parser parser{stream};
        while (parser.HandleNextDocument(builder)) {
        }
    } catch (const YAML::Exception& error) {
        auto where = error.mark.pos < 0 ? position{from.file()} : from.at(static_cast<std::size_t>(error.mark.pos));
        throw syntax_error{std::move(where), "is not valid YAML: " + error.msg};
    }
    return builder.take();
}

} // namespace leat::config
