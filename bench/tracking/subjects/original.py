import pathlib

from paths import NODE
from tracked import Tracked


class Original(Tracked):
    name = "original"
    label = "mpush-redis' algorithm (Node)"
    title = "the algorithm of mpush-redis with tracking: one message at a time (Node)"
    most = 3_000

    def start(self, stage):
        program = pathlib.Path(__file__).resolve().parent.parent / "node" / "original.js"
        stage.spawn(NODE, program, stage.port, *stage.outs)


SUBJECT = Original()
