from leat import Leat


class Later(Leat):
    name = "leat-later"
    label = "leat, a coroutine each"
    title = "leat's loop, a coroutine for each message"
    how = "later"


SUBJECT = Later()
