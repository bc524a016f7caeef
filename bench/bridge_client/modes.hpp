#pragma once

#include <string>

namespace leat::bench {

// What the program is told; times are milliseconds.
struct words {
    int port = 6379;
    int conversations = 1000;
    int replies = 1; // per request
    int ack = 0;     // 1: the client answers with a name, and acknowledges at once
    int size = 100;  // bytes of a body
    int errors = 0;  // percent of the responses whose first send fails
    int in_flight = 1000;
    int time = 2000; // that is measured
    int warm = 1000; // before
    int rate = 0;    // requests per second; 0: as many as go
    int busy = 0;    // microseconds that a send takes
    int count = 200;
    int backoff = 20;
    int ttl = 10'000;   // of a request without a reply
    int dedup = 60'000; // of a request that is done with
    int lease = 30'000;
    int concurrent = 10'000;
    int factor = 2;
    int by_turn = 15; // AWAITED_MESSAGES_BY_TURN
    int wait = 0;     // before a take-over begins, for all leases to end
};

// Each but the last two prints "ready", waits for a line, and prints what it saw as JSON; then it waits to be killed.
void measure_library(const words& given);   // requests, replies and sends by the manager in this process
void measure_service(const words& given);   // likewise by the queues of a `leat bridge`
void measure_limit(const words& given);     // a script that does the commands of the document, 100 messages a call
void measure_expiry(const words& given);    // how late is a response that waited for the end of a request's life
void measure_backoff(const words& given);   // ... that waited for the date of its retry
void measure_take_over(const words& given); // claims of one that died: how late, and how fast

void hold(const words& given);  // has `count` messages claimed, and never ends a send
void block(const words& given); // has `count` messages that wait for the reply to an earlier request

} // namespace leat::bench
