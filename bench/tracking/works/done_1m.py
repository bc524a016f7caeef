from subject import Work

WORK = Work("done_1m", "reports in random order, of a million tracked", order=6, tracked=1_000_000, unit="reports", subjects=("leat", "script"))
