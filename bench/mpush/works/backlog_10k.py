from subject import Work

WORK = Work("10 k", "a backlog of 10,000", count=10_000, subjects=("leat", "script", "script-4"))
