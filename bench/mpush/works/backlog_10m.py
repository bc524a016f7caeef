from subject import Work

WORK = Work("10 M", "a backlog of ten million", count=10_000_000, rounds=2, subjects=("leat", "script", "script-4"))
