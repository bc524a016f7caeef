"""Subjects in interleaved rounds, so that a slow minute of the machine meets all of them."""
import importlib.util
import pathlib
import statistics
import sys
import time

from paths import ROOT
from stage import Stage

LIMITS = ("script", "script-4", "script-100")  # the highest of those that were measured, in the same round, is the limit


def load(folder, word):
    """The subjects or works of a folder: a file each, its `SUBJECT` or `WORK`."""
    sys.path.insert(0, str(folder))
    found = []
    for path in sorted(pathlib.Path(folder).glob("*.py")):
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[path.stem] = module
        spec.loader.exec_module(module)
        found.append(getattr(module, word))
    return found


def measure(works, subjects, rounds=None):
    """{work's name: {subject's name: [a measurement per round]}}"""
    by_name = {each.name: each for each in subjects}
    results = {}
    began = time.monotonic()
    for work in works:
        chosen = [by_name[name] for name in work.subjects or by_name if name in by_name]
        results[work.name] = {each.name: [] for each in chosen}
        for turn in range(rounds or work.rounds):
            for subject in chosen[turn % len(chosen):] + chosen[:turn % len(chosen)]:
                with Stage(work) as stage:
                    seen = subject.measure(stage)
                results[work.name][subject.name].append(seen)
                print(f"{time.monotonic() - began:6.0f} s  {work.name:<12} round {turn + 1}  {subject.name:<16}"
                      f"{seen['rate']:>12,.0f} {work.unit}/s", flush=True)
    return results


def compare(works, subjects, before, rounds=None):
    """Each subject with the binaries of this checkout and of another, in turns; the ratio of now to before, per round."""
    began = time.monotonic()
    for work in works:
        for subject in subjects:
            seen = []
            for turn in range(rounds or work.rounds):
                rates = {}
                for programs in sorted((ROOT, before), reverse=turn % 2):
                    with Stage(work, programs) as stage:
                        rates[programs] = subject.measure(stage)["rate"]
                seen.append(rates[ROOT] / rates[before])
                print(f"{time.monotonic() - began:6.0f} s  {work.name:<12} round {turn + 1}  {subject.name:<16}"
                      f"{rates[before]:>12,.0f} -> {rates[ROOT]:>12,.0f} {work.unit}/s  {seen[-1]:.3f}", flush=True)
            print(f"          {work.name:<12} {subject.name}: median {statistics.median(seen):.3f}, {min(seen):.3f} to {max(seen):.3f}",
                  flush=True)


def ratios(of_work, name, limits=LIMITS):
    """Per round, to the limit of that round."""
    limits = [of_work[each] for each in limits if each in of_work]
    if not limits or name not in of_work:
        return []
    return [mine["rate"] / max(each[turn]["rate"] for each in limits) for turn, mine in enumerate(of_work[name])]


def median(measurements, field):
    values = [each[field] for each in measurements if each[field] is not None]
    return statistics.median(values) if values else None
