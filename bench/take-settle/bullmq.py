import pathlib
import subprocess

from paths import NODE
from subject import SelfMeasured


class BullMQ(SelfMeasured):
    count = 20_000

    def __init__(self, concurrency):
        self.concurrency = concurrency
        self.name = f"bullmq-{concurrency}"
        self.label = f"BullMQ, concurrency {concurrency}"
        self.title = f"BullMQ, an empty handler, concurrency {concurrency}"

    def start(self, stage):
        stage.spawn(NODE, pathlib.Path(__file__).parent / "node" / "bullmq.js", stage.port, self.count, stage.work.size,
                    self.concurrency, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
