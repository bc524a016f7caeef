from subject import Work

WORK = Work("base", "100 B, 100,000 waiting, 1,000 in flight", outs=1, in_flight=1000,
            subjects=("leat", "leat-0", "leat-10", "push", "settle", "script", "node"))
