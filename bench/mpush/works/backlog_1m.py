from subject import Work

WORK = Work("1 M", "a backlog of a million", count=1_000_000, subjects=("leat", "script", "script-4"))
