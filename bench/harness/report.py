"""The results as a page, and as a picture."""
import statistics

from rounds import median, ratios

WIDTH, BAR, GAP, LEFT = 860, 22, 10, 250
TIMES = {"p50": "p50", "p99": "p99", "max": "slowest"}
OURS, LIMIT, OTHERS = "#1f6f8b", "#8a8a8a", "#c9a24b"
COLOURS = {"leat": OURS, "leat-0": OURS, "leat-10": OURS, "leat-service": OURS, **dict.fromkeys(
    ("script", "script-4", "script-100", "moves", "redis-benchmark", "push", "settle"), LIMIT)}


def rate(value):
    return f"{value:,.0f}"


def percent(values):
    return f"{100 * statistics.median(values):.0f} %" if values else ""


def cell(value, form):
    return "" if value is None else form.format(value)


def times_of(seen, parts):
    """Medians of the rounds, but of the slowest the slowest."""
    return "".join(f"{max(each[part] for each in seen) if part == 'max' else median(seen, part):.2f} | " for part in parts)


def table(work, of_work, titles, measured):
    bytes_seen = [each["bytes"] for seen in of_work.values() for each in seen if "bytes" in each]
    more = f" Redis held {statistics.median(bytes_seen):.0f} bytes for each tracked message." if bytes_seen else ""
    times = [part for part in TIMES if any(part in each for seen in of_work.values() for each in seen)]
    lines = [f"### {work.title}", "", f"{measured}; {len(next(iter(of_work.values())))} rounds.{more}", "",
             f"| subject | {work.unit}/s | lowest to highest | of the limit | " + "".join(f"{TIMES[part]} ms | " for part in times) +
             "CPU s per million: subject | Redis | memory MB | longest command ms: of 99.9 % | of all |",
             "|---|---:|---:|---:|---:|---:|---:|---:|---:|" + "---:|" * len(times)]
    for name, seen in sorted(of_work.items(), key=lambda each: -median(each[1], "rate")):
        rates = [each["rate"] for each in seen]
        lines.append(f"| {titles[name]} | {rate(median(seen, 'rate'))} | {rate(min(rates))} to {rate(max(rates))} | "
                     f"{percent(ratios(of_work, name))} | " + times_of(seen, times) +
                     f"{cell(median(seen, 'cpu'), '{:.2f}')} | "
                     f"{cell(median(seen, 'server_cpu'), '{:.2f}')} | {cell(median(seen, 'memory'), '{:.0f}')} | "
                     f"{statistics.median(each['longest'][0] for each in seen):.1f} | {max(each['longest'][1] for each in seen):.1f} |")
    return lines + [""]


def latency_table(latency, titles, measured):
    lines = ["### From push to out while idle: 200 messages a second, microseconds", "",
             f"{measured}; {len(next(iter(latency.values())))} rounds.", "",
             "| subject | p50 | p90 | p99 | slowest |", "|---|---:|---:|---:|---:|"]
    for name, seen in latency.items():
        lines.append(f"| {titles[name]} | " + " | ".join(
            rate(statistics.median(each[part] for each in seen)) for part in ("p50", "p90", "p99", "max")) + " |")
    return lines + [""]


def page(name, kept, works, titles, parts=(), summary=None):
    about = {key: value for key, value in kept["about"].items() if key not in ("date", "commit")}
    lines = [f"# Benchmark: {name}", "", f"`./dev bench {name}` made this page, the chart and `{name}.json`.", ""]
    lines += [f"- {key}: {value}" for key, value in about.items()]
    lines += ["- Redis on one core, the subject and the harness on another; subjects in interleaved rounds, median of them; "
              "a ratio is taken within its round. Content and order of what arrived are checked after every run.",
              "- The limit is the faster of the bare scripts that were measured in the same round.", "",
              f"![Messages per second]({name}.svg)", ""]
    if summary:
        lines += summary(kept)
    for work in works:
        if work.name in kept["results"]:
            lines += table(work, kept["results"][work.name], titles, kept["measured"][work.name])
    if kept["latency"]:
        lines += latency_table(kept["latency"], titles, kept["measured"]["idle"])
    for part in parts:
        if part.name in kept.get("parts", {}):
            lines += [f"### {part.title}", "", f"{kept['measured'][part.name]}.", ""]
            lines += [*part.lines(kept["parts"][part.name]), ""]
    return "\n".join(lines).rstrip() + "\n"


def chart(of_work, labels, title):
    """Bars on a plain scale: what does not show is too slow to show."""
    rows = sorted(((median(seen, "rate"), name) for name, seen in of_work.items()), reverse=True)
    most = rows[0][0]
    height = 50 + len(rows) * (BAR + GAP)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="13">',
             f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
             f'<text x="12" y="24" font-size="15" font-weight="bold" fill="#222222">{title}</text>']
    for at, (value, name) in enumerate(rows):
        y = 40 + at * (BAR + GAP)
        length = max(1.0, (WIDTH - LEFT - 110) * value / most)
        parts.append(f'<text x="{LEFT - 8}" y="{y + 16}" text-anchor="end" fill="#222222">{labels[name]}</text>')
        parts.append(f'<rect x="{LEFT}" y="{y}" width="{length:.1f}" height="{BAR}" fill="{COLOURS.get(name, OTHERS)}"/>')
        parts.append(f'<text x="{LEFT + length + 8:.1f}" y="{y + 16}" fill="#222222">{rate(value)}/s</text>')
    return "\n".join(parts + ["</svg>"]) + "\n"
