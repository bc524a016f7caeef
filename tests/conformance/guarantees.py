"""Prints docs/guarantees.md from the table of promises."""
from faults import FAULTS
from promises import KINDS

HEAD = """# Guarantees

What is promised when something goes wrong, kind by kind. Every row is a test: numbered messages under load, the fault, then the
count of what is lost, there twice, out of order, or stuck. `./dev test -R conformance` runs them and prints what it counted;
`./dev test --all` kills 500 times instead of 20 and does all of it on Valkey, too. The table is made from
`tests/conformance/promises.py`; do not edit this page.

{matrix}
`0`: nothing is lost, nothing is there twice, the order is kept. `again`: the same, but what was running may run again. `Redis`: what
Redis itself forgot is lost, and nothing else. A blank: this cannot happen to that kind, or another kind's row covers it. The words behind
each cell are below.

*Forgotten* is what Redis had confirmed and then lost itself: a failover to a replica that had not heard of it yet, a file that
was not on the disk yet, a `FLUSHALL`. Leat counts it apart, because it cannot be mended from outside, and because leat adds
nothing to it: both sides of a move are one step of Redis, so both are kept or both are forgotten.
"""

TAIL = """## How much Redis may forget

| persistence | Redis is killed | the machine loses power |
|---|---|---|
| `appendfsync always` | nothing | nothing, as far as the disk tells the truth |
| `appendfsync everysec` | usually nothing; up to two seconds while the disk is too slow | about a second |
| no AOF | everything since the last snapshot | everything since the last snapshot |
| a failover to a replica | what the replica had not received | the same |

Have `maxmemory-policy noeviction`: under any other policy Redis may throw queues away; leat warns of it when it starts.
"""


def cell(kind, fault):
    promise = kind.promises.get(fault)
    if not promise:
        return " "
    return "Redis" if promise.forgets else "0" if promise.twice == "0" else "again"


def matrix():
    faults = [fault for fault in FAULTS if any(fault in kind.promises for kind in KINDS)]
    text = "| what happens | " + " | ".join(kind.name for kind in KINDS) + " |\n|---|" + "---|" * len(KINDS) + "\n"
    for fault in faults:
        text += f"| {FAULTS[fault].title} | " + " | ".join(cell(kind, fault) for kind in KINDS) + " |\n"
    return text


def page():
    text = HEAD.replace("{matrix}", matrix())
    for kind in KINDS:
        text += f"\n## {kind.name}\n\n{kind.sentence}\n\n"
        text += "| what happens | lost | twice | out of order | then |\n|---|---|---|---|---|\n"
        for fault, promise in kind.promises.items():
            lost = "what Redis forgot" if promise.forgets else "0"
            text += f"| {FAULTS[fault].title} | {lost} | {promise.twice} | 0 | {promise.then} |\n"
        for variant in kind.variants:
            text += f"\n**{variant.name}.** {variant.sentence}\n"
        text += "\nNot promised, because it is not leat's to promise:\n\n"
        text += "".join(f"- {each}\n" for each in kind.beyond)
    return text + "\n" + TAIL


if __name__ == "__main__":
    print(page(), end="")
