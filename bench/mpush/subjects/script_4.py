from script import Script


class ScriptInFlight(Script):
    name = "script-4"
    label = "limit: four calls in flight"
    title = "the bare script, four calls in flight"
    depth = 4


SUBJECT = ScriptInFlight()
