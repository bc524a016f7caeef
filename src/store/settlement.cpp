#include "store/settlement.hpp"

#include "redis/digest.hpp"

#include <cstdlib>
#include <unordered_map>

namespace leat::store {
namespace {

// Puts the lists of all pushes into the call, each once, and tells their numbers.
template <class Call>
class outs_writer {
public:
    explicit outs_writer(Call& call)
        : call_{call} {}

    void write(std::span<const output> pushes, std::string_view message) {
        if (pushes_only_itself(pushes, message)) {
            call_.words.push_back("=" + std::to_string(number_of(pushes.front())));
        } else {
            write(pushes);
        }
    }

    void write(std::span<const output> pushes) {
        call_.words.push_back(std::to_string(pushes.size()));
        for (const auto& each : pushes) {
            call_.words.push_back(std::to_string(number_of(each)));
            call_.words.push_back(each.keep == 0 ? each.message : std::to_string(each.keep) + ":" + each.message);
        }
    }

private:
    std::size_t number_of(const output& to) {
        if (last_ != 0 && call_.outs[last_ - 1] == to.to) { // most go where the one before went
            return last_;
        }
        auto [found, is_new] = numbers_.try_emplace(to.to, call_.outs.size() + 1);
        if (is_new) {
            call_.outs.push_back(to.to);
            call_.named += to.keep != 0 ? 'k' : to.by_message ? 'm' : 's';
        }
        last_ = found->second;
        return last_;
    }

    Call& call_;
    std::unordered_map<std::string_view, std::size_t> numbers_; // of texts that outlive it
    std::size_t last_ = 0;
};

// The message, or its name and where it is.
void write_message(const settled_message& one, bool oldest, settle_call& call) {
    bool by_name = is_large(one.message);
    auto place = one.place ? ":" + std::to_string(*one.place) : std::string{};
    call.words.push_back(by_name ? name_of_large(one.message) + place : std::string{one.message});
    if (by_name && call.forms.empty()) {
        call.forms.assign(call.words.size() - 1, 'b');
    }
    if (by_name || !call.forms.empty()) {
        call.forms += by_name ? 'd' : 'b';
    }
    if (!oldest) {
        call.sides += one.newer ? 'l' : 'r';
    }
}

void write_end(const settled_message& one, outs_writer<settle_call>& outs, settle_call& call) {
    using end = settled_message::end;
    switch (one.how) {
    case end::done:
    case end::give_back: {
        bool plain = one.pushes.empty();
        call.verdicts += one.how == end::done ? (plain ? 'd' : 'p') : (plain ? 'g' : 'u');
        if (!plain) {
            outs.write(one.pushes, one.message);
        }
        break;
    }
    case end::retry:
        call.verdicts += 'r';
        call.words.push_back(std::to_string(one.pause));
        call.words.emplace_back(one.reason);
        call.words.push_back(std::to_string(one.delivery));
        break;
    case end::bury:
        call.verdicts += 'b';
        outs.write(one.pushes, one.message);
        call.words.emplace_back(one.reason);
        call.words.push_back(std::to_string(one.delivery));
        call.words.emplace_back(one.name);
        break;
    }
}

} // namespace

std::string name_of_large(std::string_view message) {
    return redis::sha1_hex(message) + ":" + std::to_string(message.size());
}

std::int64_t size_of_large(const std::string& name) { // digest:bytes
    return std::atoll(name.substr(name.find(':') + 1).c_str());
}

bool pushes_only_itself(std::span<const output> pushes, std::string_view message) {
    return pushes.size() == 1 && pushes.front().keep == 0 && pushes.front().message == message;
}

void write_settlement(const std::vector<settled_message>& messages, bool oldest, settle_call& call) {
    call.oldest = oldest;
    for (const auto& each : messages) {
        write_message(each, oldest, call);
    }
    outs_writer outs{call};
    for (const auto& each : messages) {
        write_end(each, outs, call);
    }
}

std::string to_text(const settled_times& times) {
    auto text = std::to_string(times.sum) + " " + std::to_string(times.longest);
    for (auto each : times.tenths) {
        text += " " + std::to_string(each);
    }
    return text;
}

void write_pushes(std::span<const output> pushes, write_once_call& call) {
    outs_writer{call}.write(pushes);
}

} // namespace leat::store
