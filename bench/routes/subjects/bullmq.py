from asked import NODE_FILES, Asked
from paths import NODE


class BullMQ(Asked):
    name = "bullmq"
    label = "BullMQ"
    title = "BullMQ, waitUntilFinished (Node)"

    def asker(self, stage):
        return NODE, NODE_FILES / "bullmq_ask.js", stage.port, stage.work.in_flight

    def worker(self, stage):
        return NODE, NODE_FILES / "bullmq_answer.js", stage.port, stage.work.in_flight


SUBJECT = BullMQ()
