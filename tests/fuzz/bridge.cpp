// Whatever comes to a bridge: it is read or refused; and whatever conversations and messages are called, no two are the
// same key, and no key is taken for one of another kind.
#include "store/bridge.hpp"

#include "bridge/bridge_message.hpp"
#include "message/min_message_info.hpp"
#include "store/keys.hpp"

#include <cstdlib>
#include <cstring>
#include <string>

using namespace leat;

namespace {

void need(bool holds) {
    if (!holds) {
        std::abort();
    }
}

std::string unescaped(const std::string& name) {
    std::string made;
    for (std::size_t i = 0; i < name.size(); ++i) {
        if (name[i] == '%') {
            made += static_cast<char>(std::stoi(name.substr(i + 1, 2), nullptr, 16));
            i += 2;
        } else {
            made += name[i];
        }
    }
    return made;
}

void check_conversation(const std::string& id) {
    auto name = store::bridge_keys::escaped(id);
    need(unescaped(name) == id); // so no two ids have one name
    need(name.find_first_of("{}") == std::string::npos);
    for (const auto* other : {"req:", "res:", "asyncRequest:"}) {
        need(!(name + ":req").starts_with(other) && !(name + ":lock").starts_with(other));
    }
    for (const auto* word : {"pendingMessages", "counts", "events"}) {
        need(name != word);
    }
    need(!name.ends_with(":req") && !name.ends_with(":lock"));
}

void check_info(const message::min_message_info& info) {
    auto text = message::to_text(info);
    auto read = message::read_min_message_info(text);
    need(read && *read == info);
    need(text.starts_with(message::group_text(info.request_id)));
    message::min_message_info other{info.request_id + "x", info.response_id, info.conversation_id};
    need(!message::to_text(other).starts_with(message::group_text(info.request_id)));
    // Scripts cut it here.
    need(text.find(R"(","rsId":")") == message::group_text(info.request_id).size() - std::strlen(R"(","rsId":")"));
}

} // namespace

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes are bytes
    std::string text{reinterpret_cast<const char*>(data), size};
    for (auto read : {bridge::read_bridge_message(text), bridge::read_delivery_answer(text)}) {
        if (read) {
            need(!read->item.empty());
        } else {
            need(!read.error().text.empty());
        }
    }
    if (!store::is_bridge_id(text)) {
        return 0;
    }
    check_conversation(text);
    auto half = text.size() / 2;
    auto left = text.substr(0, half);
    auto right = text.substr(half);
    if (store::is_bridge_id(left) && store::is_bridge_id(right)) {
        check_info({left, right, text});
        check_info({right, text, left});
    }
    return 0;
}
