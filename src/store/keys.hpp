#pragma once

#include <cstdint>
#include <string>

namespace leat::store {

// Every key that leat makes, on one page, with its Redis type. Queues are not here: users name them.

// set: every namespace that a service was ever registered in.
inline constexpr auto namespaces_key = "leat:namespaces";

// The services of a namespace.
class service_keys {
public:
    explicit service_keys(const std::string& name_space)
        : prefix_{name_space + ":service:"} {}

    const std::string& prefix() const { return prefix_; }
    std::string counter() const { return prefix_ + "id"; } // string: the last id that was given
    std::string ids() const { return prefix_ + "ids"; }    // list: ids, newest at the left
    // hash: host, pid, started, and renewed from the first heartbeat on; expires after serviceExpire.
    std::string service(std::int64_t id) const { return prefix_ + std::to_string(id); }
    // hash: kind, name, version, queues; what leat adds, with the same expiry.
    std::string info(std::int64_t id) const { return service(id) + ":info"; }

private:
    std::string prefix_;
};

} // namespace leat::store
