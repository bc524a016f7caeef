import pathlib

from paths import CLIENT
from tracked import Tracked


class Straightforward(Tracked):
    name = "straightforward"
    label = "a straightforward script"
    title = "a straightforward script of the documented commands, in batches of 256; no undo, no checks"

    def start(self, stage):
        script = pathlib.Path(__file__).resolve().parent.parent / "straightforward.lua"
        stage.spawn(CLIENT, "file", "--file", script, "--port", stage.port, "--batch", 256, *stage.out_words)


SUBJECT = Straightforward()
