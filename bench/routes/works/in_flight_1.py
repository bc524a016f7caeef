from subject import Work

WORK = Work("in_flight_1", "100 B, 5,000 waiting, 1 in flight", order=1, outs=1, count=5_000, in_flight=1,
            subjects=("leat", "leat-0", "push", "script", "node"))
