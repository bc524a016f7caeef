"""What the benchmarks have in common: words, rounds, results that are kept beside older ones, a page and a chart."""
import argparse
import dataclasses
import json
import os
import pathlib
from typing import Callable

from machine import describe
from paths import RESULTS
from report import chart, page
from rounds import compare, load, measure
from stage import SUBJECT_CORE


@dataclasses.dataclass(frozen=True)
class Part:
    """What is measured beside subjects and works: `measure()` gives something for the JSON, `lines` makes it a table."""
    name: str
    title: str
    measure: Callable
    lines: Callable


def keep(path, about, results, latency, parts):
    """Works that were not measured now keep what was measured before, with its date and commit."""
    path.parent.mkdir(parents=True, exist_ok=True)
    kept = json.loads(path.read_text()) if path.exists() else {"results": {}, "latency": {}, "measured": {}}
    if results or latency or parts:
        kept["about"] = about
    kept["results"].update(results)
    kept["latency"] = latency or kept["latency"]
    if parts:
        kept.setdefault("parts", {}).update(parts)
    for name in [*results, *(["idle"] if latency else []), *parts]:
        kept["measured"][name] = f"{about['date']}, commit {about['commit']}, {about['server']}, {about['machine']}"
    path.write_text(json.dumps(kept, indent=1) + "\n")
    return kept


def run(name, folder, doc, chart_title, idle=None, extra=(), parts=(), summary=None):
    """`idle(subjects, rounds)` measures the latency of some; `extra` are subjects that it has of its own. `summary(kept)` gives
    lines for the top of the page."""
    words = argparse.ArgumentParser(description=doc.split("\n\n")[1])
    words.add_argument("--rounds", type=int, help="of every work; default: each has its own number")
    beside = [*(["idle"] if idle else []), *(each.name for each in parts)]
    words.add_argument("--works", help="only these, by name, with commas" + (f"; also {', '.join(beside)}" if beside else ""))
    words.add_argument("--subjects", help="only these, by name, with commas")
    words.add_argument("--out", type=pathlib.Path, default=RESULTS, help="folder of the results (default: bench/results)")
    words.add_argument("--draw", action="store_true", help="measure nothing, only write page and chart from the JSON anew")
    words.add_argument("--before", type=pathlib.Path, metavar="CHECKOUT",
                       help="compare with the binaries of another checkout, built likewise, in the same rounds; writes no results")
    given = words.parse_args()
    os.sched_setaffinity(0, {SUBJECT_CORE})
    subjects = load(folder / "subjects", "SUBJECT")
    all_works = sorted(load(folder / "works", "WORK"), key=lambda each: (each.name != "base", each.order, each.title))
    names = [each.name for each in all_works] + beside
    wanted = [] if given.draw else given.works.split(",") if given.works else names
    works = [each for each in all_works if each.name in wanted]
    titles = {each.name: each.title for each in [*subjects, *extra]}
    labels = {each.name: each.label for each in subjects}
    if given.subjects:
        subjects = [each for each in subjects if each.name in given.subjects.split(",")]
    if given.before:
        return compare(works, subjects, given.before.resolve(), given.rounds)
    about = describe()
    results = measure(works, subjects, given.rounds)
    latency = idle(subjects, given.rounds or 3) if "idle" in wanted else {}
    seen = {each.name: each.measure() for each in parts if each.name in wanted}
    kept = keep(given.out / f"{name}.json", about, results, latency, seen)
    (given.out / f"{name}.md").write_text(page(name, kept, all_works, titles, parts, summary))
    if "base" in kept["results"]:
        (given.out / f"{name}.svg").write_text(chart(kept["results"]["base"], labels, chart_title))
    print(f"written: {given.out}/{name}.md, .svg, .json")
