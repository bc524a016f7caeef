from subject import Work

WORK = Work("backlog_10000", "100 B, 10,000 waiting, 1,000 in flight", order=5, count=10_000, in_flight=1000,
            subjects=("leat", "leat-later", "script"))
