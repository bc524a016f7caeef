from asked import Dispatched
from paths import CLIENT


class Plain(Dispatched):
    """Its own limit: what stands around it costs next to nothing."""
    name = "mdispatch-plain"
    label = "leat mdispatch, minimal clients"
    title = "leat mdispatch, asker and worker as minimal clients"

    def asker(self, stage):
        return CLIENT, "ask", "--port", stage.port, "--in", "requests", "--batch", stage.work.in_flight

    def worker(self, stage):
        return CLIENT, "answer", "--port", stage.port, "--in", "work", "--batch", stage.work.in_flight


SUBJECT = Plain()
