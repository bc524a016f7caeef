from subject import Work

WORK = Work("10 kB", "messages of 10 kB", size=10_000, count=20_000)
