from subject import Work

WORK = Work("1 ms", "every packet takes 1 ms, there and back", delay=0.001, subjects=("leat", "script", "script-4"))
