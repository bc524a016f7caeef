from bridged import Driven


class Script(Driven):
    """The limit of whoever keeps these keys: no lease, no retries, no tombstones, nothing around it."""
    name = "script-100"
    label = "limit: the commands in a script"
    title = "the document's commands in a script, 100 messages a call"
    mode = "script"


SUBJECT = Script()
