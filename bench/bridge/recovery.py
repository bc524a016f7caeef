"""An instance is killed with claims in hand, and another takes them over."""
import time

from bench import Part
from bridged import BridgeWork, begin, finish, say
from stage import Stage

COUNT, LEASE = 300, 2000
PILE, PILE_LEASE = 20_000, 10_000


def take_over():
    """Somebody else is there when it dies."""
    with Stage(BridgeWork("part", "")) as stage:
        first = begin(stage, "hold", count=COUNT, lease=LEASE)
        second = begin(stage, "take-over", lease=LEASE)
        first.kill()
        return finish(stage, second)


def drain(by_turn):
    """Nobody was there until all leases had ended."""
    with Stage(BridgeWork("part", "")) as stage:
        first = begin(stage, "hold", count=PILE, lease=PILE_LEASE, concurrent=PILE)
        first.kill()
        first.wait()
        time.sleep(0.1)
        return finish(stage, begin(stage, "take-over", lease=PILE_LEASE, wait=PILE_LEASE, **{"by-turn": by_turn}))


def measure():
    return say("recovery", {"take_over": take_over(), "drain": {str(by_turn): drain(by_turn) for by_turn in (15, 100)}})


def lines(seen):
    after = seen["take_over"]
    table = ["| what | messages | p50 ms | p99 ms | latest ms |", "|---|---:|---:|---:|---:|",
             f"| `kill -9`: from the end of the lease ({LEASE} ms after the claim) to the send by another instance | "
             f"{after['count']} | {after['p50']:.1f} | {after['p99']:.1f} | {after['max']:.1f} |", "",
             "| after an outage, all due at once | messages | messages/s |", "|---|---:|---:|"]
    for by_turn, each in seen["drain"].items():
        table.append(f"| one instance, `awaitedMessagesByTurn` {by_turn} | {each['messages']:,} | "
                     f"{each['messages'] / each['seconds']:,.0f} |")
    return table


PART = Part("recovery", "After a crash, in process", measure, lines)
