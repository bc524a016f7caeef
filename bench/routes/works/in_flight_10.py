from subject import Work

WORK = Work("in_flight_10", "100 B, 20,000 waiting, 10 in flight", order=2, outs=1, count=20_000, in_flight=10,
            subjects=("leat", "leat-0", "push", "script"))
