"""One process that asks, one that answers, and perhaps one between them; the first measures."""
import pathlib
import subprocess

from paths import LEAT
from subject import SelfMeasured

NODE_FILES = pathlib.Path(__file__).parent / "node"


class Asked(SelfMeasured):
    def asker(self, stage):
        """Its words."""
        raise NotImplementedError

    def worker(self, stage):
        raise NotImplementedError

    def start(self, stage):
        stage.spawn(*self.asker(stage), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        stage.spawn(*self.worker(stage))


class Dispatched(Asked):
    """By mdispatch."""

    def start(self, stage):
        super().start(stage)
        stage.spawn(LEAT, "mdispatch", "--in", "requests", "--workers", "work", "--concurrency", 1000, "--redis", stage.url,
                    "--name", "bench", "--serviceNamespace", "ns")
