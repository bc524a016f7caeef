import subprocess

from paths import NODE, PROGRAMS
from subject import SelfMeasured


class Streams(SelfMeasured):
    name = "streams"
    label = "Redis Streams (Node)"
    title = "Redis Streams, a group per subscriber, from XADD to the last XACK (Node)"

    def start(self, stage):
        stage.spawn(NODE, PROGRAMS / "streams.js", stage.port, 50_000, stage.work.size, *stage.outs, stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE, text=True)


SUBJECT = Streams()
