#pragma once

#include "config/field.hpp"

#include <chrono>
#include <cstdint>

namespace leat::runtime {

// How long to wait before each further try, in seconds.
struct pauses {
    double first = 1;
    double factor = 2;
    double max = 60;
    double jitter = 0.1;
};

// Before the try after so many failures, from 1 on. `chance` is from 0 to 1.
std::chrono::milliseconds pause_after(const pauses& how, std::int64_t failures, double chance);

// The settings of a group that holds them; `before` says what the first pause comes before.
template <class S>
std::vector<config::typed_field<S>> pause_fields(std::string first) {
    using config::field;
    return {
        field("first", &S::first, std::move(first)).range(0, 86'400).unit("s"),
        field("factor", &S::factor, "Each further pause is so many times longer.").range(1, 100),
        field("max", &S::max, "No pause is longer.").range(0, 604'800).unit("s"),
        field(
            "jitter", &S::jitter,
            "Up to this part of a pause is left out, at random, so that retries do not come in step.")
            .range(0, 1),
    };
}

} // namespace leat::runtime
