import pathlib

from paths import NODE
from subject import Subject


class Redix(Subject):
    name = "node"
    label = "Redix' code (Node), 3 filters"
    title = "the code of Redix' documentation through 3 filters, one message at a time (Node)"
    most = 5_000

    def start(self, stage):
        stage.spawn(NODE, pathlib.Path(__file__).parents[1] / "node" / "redix.js", stage.port)


SUBJECT = Redix()
