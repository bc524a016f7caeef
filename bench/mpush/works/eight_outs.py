from subject import Work

WORK = Work("8 outs", "8 outs", outs=8, subjects=("leat", "script", "script-4", "moves", "node-batch"))
