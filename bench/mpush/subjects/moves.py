from paths import CLIENT
from subject import Subject


class Moves(Subject):
    """What Redis can do without Lua. Not safe: what is on the way is lost in a crash."""
    name = "moves"
    label = "moves without Lua, not crash-safe"
    title = "the same moves without Lua (RPOP 1000, LPUSH), pipelined; loses in a crash"

    def start(self, stage):
        stage.spawn(CLIENT, "moves", "--port", stage.port, "--depth", 4,
                    *stage.out_words)


SUBJECT = Moves()
