from subject import Work

WORK = Work("done_100k", "reports in random order, of 100,000 tracked", order=5, tracked=100_000, unit="reports", subjects=("leat", "script"))
