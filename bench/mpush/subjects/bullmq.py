import subprocess

from paths import NODE, PROGRAMS
from subject import SelfMeasured


class BullMQ(SelfMeasured):
    name = "bullmq"
    label = "BullMQ"
    title = "BullMQ, a handler that pushes to every out, concurrency 50; order not kept"

    def start(self, stage):
        stage.spawn(NODE, PROGRAMS / "bullmq.js", stage.port, 10_000, stage.work.size, *stage.outs, stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE, text=True)


SUBJECT = BullMQ()
