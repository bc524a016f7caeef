from subject import Work

WORK = Work("large", "10 kB, 20,000 waiting, 1,000 in flight", order=9, size=10_000, count=20_000, in_flight=1000,
            subjects=("leat", "leat-later", "script"))
