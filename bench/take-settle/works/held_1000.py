from subject import Work

WORK = Work("held_1000", "100 B, 100 in flight beside 1,000 older ones that take their time", order=21, count=20_000,
            in_flight=100, held=1_000, subjects=("leat-later", "script"))
