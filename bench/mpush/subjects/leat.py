from paths import LEAT
from subject import Subject


class Leat(Subject):
    name = "leat"
    label = "leat mpush"
    title = "leat mpush"

    def start(self, stage):
        stage.spawn(LEAT, "mpush", "--in", "in", *(word for out in stage.outs for word in ("--out", out)), "--redis", stage.url,
                    "--name", f"r{len(stage.processes)}")


SUBJECT = Leat()
