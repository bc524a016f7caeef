from routed import Routed


class Bare(Routed):
    name = "leat-0"
    label = "leat router, no filter"
    title = "leat router with no filter"


SUBJECT = Bare()
