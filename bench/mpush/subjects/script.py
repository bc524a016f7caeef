from paths import CLIENT
from subject import Subject


class Script(Subject):
    """The limit: leat's own script, and nothing around it."""
    name = "script"
    label = "limit: the bare script"
    title = "the bare script, one call at a time"
    depth = 1

    def start(self, stage):
        stage.spawn(CLIENT, "script", "--port", stage.port, "--depth", self.depth,
                    *stage.out_words)


SUBJECT = Script()
