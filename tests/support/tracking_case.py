"""A mpush that tracks messages in the namespace `demo`."""
from leat_testing import Case, eventually

NS = "demo"


class TrackingCase(Case):
    def setUp(self):
        super().setUp()
        self.redis = self.server(*self.server_words())
        self.db = self.redis.client(decode_responses=True)

    def server_words(self):
        return ()

    def start(self, *words, name="leat"):
        leat = self.leat("mpush", "--in", "in", "--out", "out0", "--out", "out1", "--redis", self.redis.url,
                         "--serviceNamespace", NS, "--name", name, *words, name=name)
        leat.wait_for("renew: started")
        return leat

    def count(self, metric, field="count", db=None):
        return int((db or self.db).hget(f"{NS}:metrics:{metric}", field) or 0)

    def await_count(self, metric, number, timeout=10.0, db=None):
        eventually(lambda: self.count(metric, db=db) >= number, timeout, f"{metric} {number}")
        self.assertEqual(self.count(metric, db=db), number, metric)

    def take(self, out, timeout=5):
        found = self.db.brpop(out, timeout)
        return found and found[1]

    def left(self, db=None):
        return [key for key in (db or self.db).keys(f"{NS}:message:*")
                if key not in (f"{NS}:message:id", f"{NS}:message:dead", f"{NS}:message:dead:story")]

    def done(self, *entries):
        self.db.lpush(f"{NS}:message:done", *entries)
