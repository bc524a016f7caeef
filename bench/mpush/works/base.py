from subject import Work

WORK = Work("base", "100 B, 2 outs, 100,000 messages, no persistence", rounds=5, subjects=None)  # all of them
