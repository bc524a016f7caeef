from subject import Work

WORK = Work("done_10k", "reports in random order, of 10,000 tracked", order=4, tracked=10_000, unit="reports", subjects=("leat", "script"))
