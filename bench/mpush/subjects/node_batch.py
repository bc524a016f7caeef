from paths import NODE, PROGRAMS
from subject import Subject


class NodeBatch(Subject):
    """What a careful user would write instead of leat. It polls, and a failure in the middle loses messages."""
    name = "node-batch"
    label = "ten lines of Node and Lua"
    title = "ten lines of Node around a batch script"

    def start(self, stage):
        stage.spawn(NODE, PROGRAMS / "batch.js", stage.port, *stage.outs)


SUBJECT = NodeBatch()
