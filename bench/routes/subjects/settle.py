from paths import WORKER
from settled import Settled


class Settle(Settled):
    """Pushes nothing: it is no queue to queue, and stands here to compare."""
    name = "settle"
    label = "take/settle, nothing pushed"
    title = "leat's loop that settles each message and pushes nothing"

    def start(self, stage):
        stage.spawn(WORKER, stage.url, stage.work.in_flight, "now", 0)


SUBJECT = Settle()
