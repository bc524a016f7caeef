from paths import CLIENT
from tracked import Tracked


class Script(Tracked):
    """The limit: leat's own scripts, and nothing around them."""
    name = "script"
    label = "limit: the bare script"
    title = "the bare script, one call at a time"
    depth = 1

    def start(self, stage):
        stage.spawn(CLIENT, "tracked", "--port", stage.port, "--depth", self.depth, *stage.out_words)

    def start_taking(self, stage):
        stage.spawn(CLIENT, "complete", "--port", stage.port, "--depth", self.depth)


SUBJECT = Script()
