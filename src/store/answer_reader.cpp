#include "store/answer_reader.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace leat::store {
namespace {

std::int64_t to_whole(std::string_view text) {
    std::int64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

} // namespace

// The first node is the list of all elements.
answer_reader::answer_reader(redis::reply answer)
    : answer_{std::move(answer)}
    , understood_{!answer_.nodes.empty() && answer_.nodes.front().is == redis::node::type::group} {
}

redis::node* answer_reader::next(bool is_list) {
    auto& nodes = answer_.nodes;
    if (at_ >= nodes.size()) {
        return nullptr;
    }
    auto& first = nodes[at_];
    do {
        ++at_;
    } while (at_ < nodes.size() && nodes[at_].depth > 1);
    understood_ = understood_ && (first.is == redis::node::type::group) == is_list;
    return &first;
}

std::int64_t answer_reader::whole() {
    const auto* found = next(false);
    return found != nullptr ? to_whole(found->text) : 0;
}

std::string answer_reader::text() {
    auto* found = next(false);
    return found != nullptr ? std::move(found->text) : std::string{};
}

answer_reader::list_reader answer_reader::list() {
    auto first = at_ + 1;
    next(true);
    return {answer_.nodes, std::min(first, at_), at_};
}

std::vector<std::string> answer_reader::texts() {
    std::vector<std::string> found;
    for (auto all = list(); all.more();) {
        found.push_back(all.text());
    }
    return found;
}

std::vector<std::int64_t> answer_reader::wholes() {
    std::vector<std::int64_t> found;
    for (auto all = list(); all.more();) {
        found.push_back(all.whole());
    }
    return found;
}

std::size_t answer_reader::word(std::initializer_list<std::string_view> words) {
    auto given = text();
    const auto* found = std::ranges::find(words, given);
    if (found == words.end()) {
        understood_ = false;
        return 0;
    }
    return static_cast<std::size_t>(found - words.begin());
}

std::int64_t answer_reader::list_reader::whole() {
    return more() ? to_whole(nodes_[at_++].text) : 0;
}

std::string answer_reader::list_reader::text() {
    return more() ? std::move(nodes_[at_++].text) : std::string{};
}

std::vector<std::string> answer_reader::list_reader::texts() {
    std::vector<std::string> found;
    for (auto left = whole(); left > 0 && more(); --left) {
        found.push_back(text());
    }
    return found;
}

} // namespace leat::store
