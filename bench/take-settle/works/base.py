from subject import Work

WORK = Work("base", "100 B, 100,000 waiting, 1,000 in flight", order=0, rounds=5, subjects=None, in_flight=1000)
