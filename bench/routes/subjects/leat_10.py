from routed import Routed


class Long(Routed):
    name = "leat-10"
    label = "leat router, 10 filters"
    title = "leat router through 10 filters"
    filters = 10


SUBJECT = Long()
