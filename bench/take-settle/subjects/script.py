from paths import CLIENT
from settled import Settled


class Script(Settled):
    """The limit: leat's own script, and nothing around it."""
    name = "script"
    label = "limit: the bare script"
    title = "the bare script, one call at a time"

    def start(self, stage):
        stage.spawn(CLIENT, "settle", "--port", stage.port, "--batch", stage.work.in_flight, "--held",
                    stage.work.held)


SUBJECT = Script()
