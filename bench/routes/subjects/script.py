from paths import CLIENT
from subject import Subject


class Script(Subject):
    """The limit: leat's own script, and nothing around it."""
    name = "script"
    label = "limit: the bare script"
    title = "the bare script with a push, one call at a time"

    def start(self, stage):
        stage.spawn(CLIENT, "settle", "--port", stage.port, "--batch", stage.work.in_flight, *stage.out_words)


SUBJECT = Script()
