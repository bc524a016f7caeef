from subject import Work

WORK = Work("ask_50", "requests of 100 B and their answers, 50 open", order=21, in_flight=50, unit="round trips",
            subjects=("mdispatch", "mdispatch-plain", "bullmq"))
