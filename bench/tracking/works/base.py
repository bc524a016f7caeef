from subject import Work

WORK = Work("base", "100 B, 2 outs, 100,000 messages", order=0, rounds=5, subjects=None)
