from subject import Work

WORK = Work("backlog_1000000", "100 B, 1,000,000 waiting, 1,000 in flight", order=6, count=1_000_000, in_flight=1000,
            subjects=("leat", "leat-later", "script"))
