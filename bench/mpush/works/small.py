from subject import Work

WORK = Work("16 B", "messages of 16 B", size=16)
