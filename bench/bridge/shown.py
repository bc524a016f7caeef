"""What the figures of the page come to."""
import statistics

from rounds import median, ratios


def times(of_work, name, other):
    found = ratios(of_work, name, (other,))
    return statistics.median(found) if found else None


def summary(kept):
    rows = []
    base, parts = kept["results"].get("base", {}), kept.get("parts", {})
    for name, title in (("leat", "the library"), ("leat-service", "`leat bridge` by queues")):
        if name in base:
            rows.append((f"{title}, base", f"{median(base[name], 'rate'):,.0f} deliveries/s"))
    for other, title in (("node", "ten awaited commands in Node"), ("literal", "the document's polling")):
        if found := times(base, "leat", other):
            rows.append((f"the library, to {title}", f"{found:.1f} times"))
    if found := times(base, "leat", "script-100"):
        rows.append(("the library, of the bare commands in a script", f"{100 * found:.0f} %"))
    if found := parts.get("latency"):
        rows += [(f"from a reply to its send, {row['load']}", f"p50 {row['p50']:.2f} ms, p99 {row['p99']:.2f} ms") for row in found["response"]]
    if found := parts.get("memory"):
        rows.append(("Redis per message in flight, 400 B", " / ".join(f"{each['all']:,.0f} B" for each in found["settings"].values())))
    if not rows:
        return []
    return ["| in short | |", "|---|---|", *(f"| {what} | {found} |" for what, found in rows), ""]
