from subject import Work

WORK = Work("large", "10 kB, 10,000 waiting, 1,000 in flight", order=9, outs=1, size=10_000, count=10_000, in_flight=1000,
            subjects=("leat", "leat-0", "push", "script"))
