#pragma once

#include "redis/reply.hpp"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace leat::store {

// Reads the elements of a script's answer, in their order. What is not there any more is 0, or empty. What no script of
// ours answers (another type, another word) is read likewise, and makes it not `understood`. Only generated code uses
// it.
class answer_reader {
public:
    explicit answer_reader(redis::reply answer);
    bool understood() const { return understood_; }

    std::int64_t whole();
    bool flag() { return whole() != 0; }
    std::string text();
    std::vector<std::string> texts();
    std::vector<std::int64_t> wholes();
    // Which of these it is.
    std::size_t word(std::initializer_list<std::string_view> words);

    // The elements of a list, one after the other.
    class list_reader {
    public:
        list_reader(std::vector<redis::node>& nodes, std::size_t first, std::size_t end)
            : nodes_{nodes}
            , at_{first}
            , end_{end} {}
        bool more() const { return at_ < end_; }
        std::int64_t whole();
        bool flag() { return whole() != 0; }
        std::string text();
        std::vector<std::string> texts(); // how many, then these

    private:
        std::vector<redis::node>& nodes_;
        std::size_t at_;
        std::size_t end_;
    };
    list_reader list();

private:
    // The next element; it ends at `at_`. Nothing when there is none.
    redis::node* next(bool is_list);

    redis::reply answer_;
    std::size_t at_ = 1;
    bool understood_ = true;
};

} // namespace leat::store
