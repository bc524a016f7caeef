from paths import WORKER
from subject import Subject


class Push(Subject):
    name = "push"
    label = "take/settle with a push"
    title = "leat's loop that settles each message with a push, no route"

    def start(self, stage):
        stage.spawn(WORKER, stage.url, stage.work.in_flight, "push", 0)


SUBJECT = Push()
