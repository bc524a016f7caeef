#include "routing/direct_writer.hpp"

#include "base/random_name.hpp"
#include "store/keys.hpp"

namespace leat::routing {

using boost::asio::awaitable;
using store::written_once;

direct_writer::direct_writer(const processor_context& context)
    : there_{context.server_of(context.server, "results cannot be written")} {
}

awaitable<redis::result<written_once>> direct_writer::write(
    std::vector<store::output> gathered, clock::time_point latest) {
    if (gathered.empty()) {
        co_return written_once::done;
    }
    auto asked = std::chrono::ceil<std::chrono::seconds>(latest - clock::now()).count();
    store::write_once_call given{
        .mark = store::written_key(base::random_name(32)), .keep = std::max<std::int64_t>(asked, 0) + 60};
    store::write_pushes(gathered, given);
    std::function<awaitable<redis::result<store::write_once_outcome>>()> call = [this, &given, latest] {
        return there_.in_time(store::write_once(there_.calls(), given), latest);
    };
    std::function<bool()> wanted = [] { return true; };
    auto answer = co_await there_.call_until_answered(std::move(call), std::move(wanted), latest);
    if (!answer) {
        co_return answer.error();
    }
    co_return answer->state;
}

} // namespace leat::routing
