#pragma once

#include "routing/engine.hpp"
#include "taking/work_loop.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace leat::routing {

// Sends messages that a work loop has taken along a route, and tells it the verdict when they are back: of every kind
// and importer whose messages come from a queue.
class intake final : departure {
public:
    // What becomes of a message at the end of its passage.
    using verdict_maker = std::function<taking::verdict(const std::string& original, passage& over)>;

    intake(
        std::string name, std::chrono::milliseconds timeout, bool json, engine& passages, route along,
        verdict_maker make_verdict, taking::work work);
    ~intake();

    // Looks at each message before it begins; a verdict of this is the end of it.
    void admit_by(std::function<std::optional<taking::verdict>(const std::string& message)> admits) {
        admits_ = std::move(admits);
    }

    // What a loop does for it. It must outlive the loop.
    const taking::work& work() const { return work_; }
    const std::string& name() const { return name_; }
    std::chrono::milliseconds timeout() const { return timeout_; }

    // One message by hand; `then` is told what would have become of it, perhaps at once.
    void import(std::string message, std::function<void(taking::verdict)> then);

private:
    struct vessel;
    void ended(passage& over) override;
    std::optional<taking::verdict> decide(const taking::taken& given, taking::ticket later);
    vessel& launch(const taking::taken& given);
    void set_free(vessel& one);
    static taking::verdict given_back(passage& over);
    void abandon();
    void bound(passage& over) const;

    std::string name_;
    std::chrono::milliseconds timeout_;
    bool json_;
    engine& passages_;
    route along_;
    verdict_maker make_verdict_;
    std::function<std::optional<taking::verdict>(const std::string& message)> admits_;
    taking::work work_;
    std::int64_t messages_ = 0;
    std::vector<std::unique_ptr<vessel>> all_;
    std::vector<vessel*> free_;
    bool abandoning_ = false;
};

} // namespace leat::routing
