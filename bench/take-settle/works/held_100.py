from subject import Work

WORK = Work("held_100", "100 B, 100 in flight beside 100 older ones that take their time", order=20, count=20_000,
            in_flight=100, held=100, subjects=("leat-later", "script"))
