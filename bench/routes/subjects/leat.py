from routed import Routed


class Leat(Routed):
    name = "leat"
    label = "leat router, 3 filters"
    title = "leat router through 3 filters"
    filters = 3


SUBJECT = Leat()
