"""What the figures of the page come to, and the table of hops."""
import statistics

from rounds import median, ratios

KINDS = {"engine": "the engine alone, empty processors", "import": "an importer, from its loop's call to the verdict",
         "processor": "what it adds to such a route"}


def hops_table(rows):
    lines = ["| what | route | hops | ns per message | ns per hop |", "|---|---|---:|---:|---:|"]
    for each in rows:
        lines.append(f"| {KINDS[each['kind']]} | {each['route']} | {each['hops']} | {each['ns']:.0f} | "
                     f"{each['ns'] / each['hops']:.0f} |")
    return lines


def middle(of_work, name, other):
    """The ratio of the two, taken in each round; nothing when one was not measured."""
    found = ratios(of_work, name, (other,))
    return statistics.median(found) if found else None


def summary(kept):
    rows = []
    hops = kept.get("parts", {}).get("hops", [])
    for kind, title in (("engine", "a hop in process, of the dearest route of empty processors"),
                        ("import", "likewise of real ones, with the import of the message"),
                        ("processor", "likewise of a processor alone")):
        if found := [each for each in hops if each["kind"] == kind]:
            most = max(found, key=lambda each: each["ns"] / each["hops"])
            rows.append((title, f"{most['ns'] / most['hops']:.0f} ns ({most['route']})"))
    base = kept["results"].get("base", {})
    for other, title in (("push", "take/settle that pushes without any route"), ("leat-0", "a route without filters"),
                         ("settle", "take/settle that pushes nothing")):
        if found := middle(base, "leat", other):
            rows.append((f"queue to queue through 3 filters, of {title}", f"{100 * found:.0f} %"))
    if found := middle(base, "leat", "node"):
        rows.append(("queue to queue through 3 filters, to Redix' code in Node", f"{found:.0f} times"))
    for name, of_work in kept["results"].items():
        if found := middle(of_work, "mdispatch", "bullmq"):
            pairs = [(f"{median(of_work[each], 'rate'):,.0f}/s, p99 {median(of_work[each], 'p99'):.1f} ms")
                     for each in ("mdispatch", "bullmq")]
            rows.append((f"round trips, {name.removeprefix('ask_')} open", f"mdispatch {pairs[0]}; BullMQ {pairs[1]}; {found:.1f} times"))
    if not rows:
        return []
    return ["| in short | |", "|---|---|", *(f"| {what} | {found} |" for what, found in rows), ""]
