from script import Script


class Script4(Script):
    name = "script-4"
    label = "limit: the bare script, 4 calls"
    title = "the bare script, four calls in flight"
    depth = 4


SUBJECT = Script4()
