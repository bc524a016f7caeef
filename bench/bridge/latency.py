"""From a reply, or an acknowledgement, to the send that it allows, by the library."""
from bench import Part
from bridged import say, seen_by

IDLE = 200  # a second
PARTS = (("at 50 %", 0.5), ("at 90 %", 0.9))


def at_loads(base_words, of):
    """`of(seen)` has the percentiles. The share is of the rate that was seen just before."""
    most = seen_by("library", **base_words)
    full = most["messages"] / most["seconds"] / base_words.get("replies", 1)
    rows = []
    for name, share in (("idle", None), *PARTS):
        rate = IDLE if share is None else int(share * full)
        seen = seen_by("library", **base_words, rate=rate, warm=500)
        rows.append({"load": name, "rate": rate * base_words.get("replies", 1), **{each: of(seen)[each] for each in ("p50", "p99", "max")}})
    return rows


def measure():
    hot = seen_by("library", conversations=1, busy=500, **{"in-flight": 100})
    return say("latency", {
        "response": at_loads({}, lambda seen: seen),
        "ack": at_loads({"replies": 2, "ack": 1, "in-flight": 500}, lambda seen: seen["after_acks"]),
        "hot": hot["messages"] / hot["seconds"]})


def lines(seen):
    table = ["| from | to | load | messages/s | p50 ms | p99 ms | slowest ms |", "|---|---|---|---:|---:|---:|---:|"]
    for what, title in (("response", "a reply comes | its send begins"), ("ack", "an acknowledgement comes | the next send begins")):
        for row in seen[what]:
            table.append(f"| {title} | {row['load']} | {row['rate']:,} | {row['p50']:.2f} | {row['p99']:.2f} | {row['max']:.2f} |")
    return [*table, "", f"One conversation, sends that take 0.5 ms: {seen['hot']:,.0f} deliveries/s; without anything between "
            "two sends it would be 2,000."]


PART = Part("latency", "From a reply to its send, in process; shares of the rate that the library had in the same minute", measure, lines)
