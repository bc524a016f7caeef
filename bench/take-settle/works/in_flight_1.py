from subject import Work

WORK = Work("in_flight_1", "100 B, 20,000 waiting, 1 in flight", order=1, count=20_000, in_flight=1,
            subjects=("leat", "leat-later", "script"))
