from subject import Work

WORK = Work("ask_200", "requests of 100 B and their answers, 200 open", order=22, in_flight=200, unit="round trips",
            subjects=("mdispatch", "mdispatch-plain", "bullmq"))
