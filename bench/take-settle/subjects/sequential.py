from paths import NODE
from settled import Settled
import pathlib


class Sequential(Settled):
    """What the guide for consumers says, in Node: one at a time."""
    name = "sequential"
    label = "Node, BLMOVE and LREM"
    title = "Node with ioredis, BLMOVE and LREM, one at a time; needs a recovery of its own"
    hand = "pending"
    most = 10_000

    def start(self, stage):
        stage.spawn(NODE, pathlib.Path(__file__).parents[1] / "node" / "sequential.js", stage.port)


SUBJECT = Sequential()
