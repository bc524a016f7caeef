#pragma once

#include "bridge/sync_channel.hpp"
#include "bridge/sync_message.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <set>

namespace leat::bridge {

// Which message is meant: one of the two. (`SyncMessageOptions`.)
struct sync_message_options {
    std::optional<std::string> response_id;
    std::optional<std::string> async_response_id;
    std::string corr;
};

// What a request is known by. (`requestInfo`.)
struct request_info {
    std::string origin;
    std::string conversation_id;
    std::string request_id;
    std::string corr;
    std::int64_t request_timestamp = 0; // milliseconds since 1970; 0: the server's time
};

// A reply. (The input of `markPendingConversationRegister`.)
struct response_info {
    std::string origin;
    std::string conversation_id;
    std::string request_id;
    std::string response_id;
    std::string task_item; // kept, and handed over with the claim
    std::string corr;
    std::int64_t response_timestamp = 0; // likewise
    bool more = false;                   // further replies are announced: later requests wait for them
};

enum class can_send_status : std::uint8_t {
    can_send,
    wait_request,  // an earlier request has no reply yet
    wait_response, // an earlier response is still there
    wait_ack,      // the first was sent, and its acknowledgement is awaited
    wait_backoff,  // the first failed, and its next try is not due yet
    wait_lease,    // somebody sends at this moment
    not_found,
};
// (`CanSendResponse`.)
struct can_send_response {
    can_send_status status = can_send_status::not_found;
    std::string first_response_id;
    std::chrono::milliseconds waits{0}; // at most
};

// (`ResponsesIdByRequestId`.)
struct responses_by_request {
    min_message_info info;
    std::vector<min_message_info> siblings; // the others of the group, in their order
};

// The library: what the instances of a bridge know together, kept in Redis, with the methods of the original. Methods
// that can unblock a conversation evaluate it in the same step, and claim its first response for the caller when there
// is room: claims arrive at the channel's listener. Every method may be repeated: the second time changes nothing.
// `corr` goes to the log, at level debug. Owned by its instance, as is the channel, which must outlive it.
class message_sync {
public:
    template <class T>
    using result = boost::asio::awaitable<sync_result<T>>;

    explicit message_sync(sync_channel& channel)
        : channel_{channel} {}

    // A request has come. Registered twice, it is the first that counts. (`createConversationRegister`.)
    struct registered {
        bool existing = false;
        std::int64_t request_timestamp = 0; // after that of every earlier request, whatever was given
    };
    result<registered> create_conversation_register(request_info given);

    // What a request is stored with. (`getInitDefaultValues`.)
    sync_message get_init_default_values(const request_info& given, std::int64_t now) const;

    // A reply has come. (`markPendingConversationRegister`.) Claimed replies arrive at the listener.
    struct accepted {
        store::bridge_state state = store::bridge_state::error; // claimed, ready, wait_*, duplicate, cancelled
        std::chrono::milliseconds waits{0};
        std::string order; // requestTimestamp.number
    };
    result<accepted> mark_pending_conversation_register(response_info given);

    // The response was sent. (`markSentConversationRegister`.) `fence` is the token of the claim. Without
    // asyncResponseId it is delivered; else it waits for its acknowledgement, unless that came before: then it is
    // delivered, too.
    struct sent_info {
        std::string conversation_id;
        std::string request_id;
        std::string response_id;
        std::string async_response_id; // may be empty
        std::int64_t fence = 0;
        std::string corr;
    };
    result<store::bridge_state> mark_sent_conversation_register(sent_info given);
    // How a send ended, whichever way; what the method above, setAwaited* and setErrorById are special cases of.
    result<store::bridge_state> complete(store::bridge_result given);

    // May a response of this request be sent now? Changes nothing. (`canSendConversationMessage`.)
    result<can_send_response> can_send_conversation_message(
        std::string conversation_id, std::string request_id, std::string corr);
    // The response that is next. (`getFirstConversationMessage`.)
    result<std::optional<min_message_info>> get_first_conversation_message(std::string conversation_id);

    // Every reference of one message goes. False: there was none. (`deleteConversationMessage`.)
    result<bool> delete_conversation_message(sync_message_options which);
    // All messages of a request that have the status, but those of the excepted origins; how many they were.
    // (`deleteConversationRegister`.)
    result<std::int64_t> delete_conversation_register(
        std::vector<std::string> all_origin_except, std::optional<message_status> status, request_info which);
    // With a projection only these fields, by the names of the original ("responseId"). (`getConversationMessage`.)
    result<std::optional<sync_message>> get_conversation_message(
        sync_message_options which, std::set<std::string> projection = {});

    // The whole group waits, until a date (0: the backoff's), in milliseconds since 1970. (`setAwaitedByRequestId`.)
    result<std::int64_t> set_awaited_by_request_id(
        std::string request_id, std::int64_t awaited_to, std::string corr, std::string reason = {});
    // One message does. (`setAwaitedByResponseId`.)
    result<bool> set_awaited_by_response_id(sync_message_options which, std::int64_t awaited_to = 0);
    // What is due, at most so many, each for this caller alone. (`getAwaitedMessages`.) Claims go to the listener, too.
    result<std::vector<store::bridge_claim>> get_awaited_messages(std::int64_t messages, std::string corr);
    // The message and its siblings are cancelled, and what still comes for the request. (`setErrorById`.)
    result<std::int64_t> set_error_by_id(sync_message_options which, std::string reason = {});
    // Its lease begins anew; `fence` 0: whoever holds it. (`updateAwaitedExpires`.)
    result<bool> update_awaited_expires(std::string response_id, std::string corr, std::int64_t fence = 0);

    // References of its group; the message itself only with remove_owner. (`removeRequestMessage`.)
    result<std::int64_t> remove_request_message(sync_message_options which, bool remove_owner, std::string corr);
    // (`getAllSiblings`.) `response_id_key` is the key in Redis, or the bare id.
    result<std::optional<responses_by_request>> get_all_siblings(std::string response_id_key, std::string corr);
    // (`removeAllSiblings`.)
    result<std::int64_t> remove_all_siblings(responses_by_request which, std::string corr);
    // (`generateUniqueMinInfoKey`.)
    static std::string generate_unique_min_info_key(const min_message_info& info) { return message::to_text(info); }
    // Every reference goes after a time, whether this instance lives then or not. (`removeAllReferencesAtTime`.)
    result<bool> remove_all_references_at_time(
        sync_message_options which, std::chrono::seconds delay, std::string corr);

    // No reply will come; what there is of the group is cancelled.
    result<bool> cancel_request(std::string request_id, std::string conversation_id, std::string reason);
    // The client has acknowledged (sent), or failed (recoverable, fatal) what it took under this name.
    result<store::bridge_state> acknowledge(
        std::string origin, std::string async_response_id, store::bridge_sending how, std::string reason);
    // Looks at a conversation, and claims its first response if it can go.
    result<accepted> meet(std::string conversation_id);

private:
    result<store::bridge_answer> ask(store::bridge_verb verb, store::bridge_item item);
    result<std::optional<min_message_info>> resolve(sync_message_options which);
    result<std::vector<min_message_info>> group_of(min_message_info of);
    // A conversation as it is, with at most so many of its responses.
    result<store::bridge_conversation> look(std::string conversation_id, std::int64_t most);
    void note(std::string_view method, std::string_view corr, std::string_view id) const;

    sync_channel& channel_;
};

// The complaint about an id, or nothing.
std::optional<std::string> complain_of_id(std::string_view what, std::string_view id);

} // namespace leat::bridge
