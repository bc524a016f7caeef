"""How much later than the date that it waited for a response is sent."""
from bench import Part
from bridged import say, seen_by

COUNT, LENGTH = 400, 300


def measure():
    return say("wake-up", {"expiry": seen_by("expiry", ttl=LENGTH, count=COUNT),
                           "backoff": seen_by("backoff", backoff=LENGTH, count=COUNT)})


def lines(seen):
    titles = {"expiry": f"the life of an earlier request without a reply ends ({LENGTH} ms)",
              "backoff": f"the pause after a failure ends ({LENGTH} ms)"}
    return ["| what is waited for | messages | p50 ms | p99 ms | latest ms |", "|---|---:|---:|---:|---:|",
            *(f"| {title} | {seen[each]['count']} | {seen[each]['p50']:.2f} | {seen[each]['p99']:.2f} | {seen[each]['max']:.2f} |"
              for each, title in titles.items())]


PART = Part("wake-up", "How late after its date a response is sent; Redis has milliseconds, and an expiry is seen one after it", measure, lines)
