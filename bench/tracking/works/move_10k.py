from subject import Work

WORK = Work("move_10k", "moved and tracked while 10,000 are tracked", order=1, tracked=10_000, subjects=("leat", "script"))
