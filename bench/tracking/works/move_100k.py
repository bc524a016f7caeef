from subject import Work

WORK = Work("move_100k", "moved and tracked while 100,000 are tracked", order=2, tracked=100_000, subjects=("leat", "script"))
