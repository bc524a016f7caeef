from subject import Work

WORK = Work("4 replicas", "four processes on the same queues", replicas=4, subjects=("leat", "script", "script-4"))
