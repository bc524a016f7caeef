from paths import NODE, PROGRAMS
from subject import Subject


class Original(Subject):
    name = "original"
    label = "mpush-redis' algorithm (Node)"
    title = "the algorithm of mpush-redis: one message at a time (Node)"
    most = 5_000

    def start(self, stage):
        stage.spawn(NODE, PROGRAMS / "sequential.js", stage.port, *stage.outs)


SUBJECT = Original()
