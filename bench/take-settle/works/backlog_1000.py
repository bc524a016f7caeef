from subject import Work

WORK = Work("backlog_1000", "100 B, 1,000 waiting, 1,000 in flight", order=4, count=1_000, in_flight=1000,
            subjects=("leat", "leat-later", "script"))
