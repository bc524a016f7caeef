"""A router from `in` to `out0` through some filters."""
import pathlib

from paths import LEAT
from subject import Subject

FILTERS = {"RateLimitFilter": "{limit: 1000000000}", "ExpiredFilter": "{}", "DurationMonitor": "{}"}


def config(in_flight, filters):
    names = [f"{list(FILTERS)[i % len(FILTERS)]}.{i}" for i in range(filters)]
    lines = ["serviceNamespace: ns", "configs:", "  RedisImporter.bench:", "    queue: {in: in}", "    timeout: 60000",
             f"    concurrency: {in_flight}", f"    route: [{', '.join([*names, 'RedisExporter.bench'])}]"]
    lines += [f"  {each}: {FILTERS[each.split('.')[0]]}" for each in names]
    return "\n".join([*lines, "  RedisExporter.bench: {queue: {out: out0}}", ""])


class Routed(Subject):
    filters = 0

    def start(self, stage):
        path = pathlib.Path(stage.folder) / "router.yaml"
        path.write_text(config(stage.work.in_flight, self.filters))
        stage.spawn(LEAT, "router", path, "--redis", stage.url, "--name", "bench")
