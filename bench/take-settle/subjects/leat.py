from paths import WORKER
from settled import Settled


class Leat(Settled):
    name = "leat"
    label = "leat"
    title = "leat's loop, a decision made at once"
    how = "now"

    def start(self, stage):
        stage.spawn(WORKER, stage.url, stage.work.in_flight + stage.work.held, self.how, stage.work.held)


SUBJECT = Leat()
