from subject import Work

WORK = Work("in_flight_100", "100 B, 20,000 waiting, 100 in flight", order=3, outs=1, count=20_000, in_flight=100,
            subjects=("leat", "leat-0", "push", "script"))
