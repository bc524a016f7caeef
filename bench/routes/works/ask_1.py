from subject import Work

WORK = Work("ask_1", "requests of 100 B and their answers, 1 open", order=20, in_flight=1, unit="round trips",
            subjects=("mdispatch", "mdispatch-plain", "bullmq"))
