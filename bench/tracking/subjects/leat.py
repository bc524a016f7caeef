from paths import LEAT
from tracked import Tracked


class Leat(Tracked):
    name = "leat"
    label = "leat mpush, tracking"
    title = "leat mpush, with serviceNamespace"

    def start(self, stage):
        stage.spawn(LEAT, "mpush", "--in", "in", *stage.out_words, "--redis", stage.url, "--serviceNamespace", "ns",
                    "--messageTimeout", 3600, "--messageExpire", 7200, "--messageCapacity", 10_000_000)


SUBJECT = Leat()
