from subject import Work

WORK = Work("move_1m", "moved and tracked while a million are tracked", order=3, count=40_000, tracked=1_000_000, subjects=("leat", "script"))
