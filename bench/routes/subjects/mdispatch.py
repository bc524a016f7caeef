from asked import NODE_FILES, Dispatched
from paths import NODE


class Mdispatch(Dispatched):
    name = "mdispatch"
    label = "leat mdispatch"
    title = "leat mdispatch, asker and worker in Node"

    def asker(self, stage):
        return NODE, NODE_FILES / "ask.js", stage.port, stage.work.in_flight

    def worker(self, stage):
        return NODE, NODE_FILES / "answer.js", stage.port, stage.work.in_flight


SUBJECT = Mdispatch()
