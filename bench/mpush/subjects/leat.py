from paths import LEAT
from subject import Subject


class Leat(Subject):
    name = "leat"
    label = "leat mpush"
    title = "leat mpush"

    def start(self, stage):
        stage.spawn(LEAT, "mpush", "--in", "in", *stage.out_words, "--redis", stage.url,
                    "--name", f"r{len(stage.processes)}")


SUBJECT = Leat()
