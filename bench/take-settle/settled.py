"""A subject that takes what it finds in `in` and settles it: over when nothing is left, there and in its hand."""
from stage import resident_megabytes
from subject import Subject


class Settled(Subject):
    hand = "in:pending:1"

    def done(self, stage):
        return int(stage.db.hget("ns:metrics:settled", "count") or 0)

    def settle(self, stage, count):
        stage.fill("pile", count)
        before = self.done(stage)
        passed = stage.timed(lambda: stage.db.rename("pile", "in"), lambda: not stage.db.exists("in") and stage.db.llen(self.hand) == stage.work.held)
        assert self.done(stage) - before == count, "not all were settled, or some twice"
        return passed

    def measure(self, stage):
        self.start(stage)
        if stage.work.held:
            stage.fill("in", stage.work.held)
            while stage.db.llen(self.hand) < stage.work.held:
                pass
        self.settle(stage, 2000)
        stage.cpu = stage.server_cpu = 0.0
        stage.longest = [0.0, 0.0]
        work = stage.work
        most = self.most or work.count
        count, settled, passed = min(work.count, most), 0, 0.0
        while passed < work.seconds and settled < 20 * count:
            passed += self.settle(stage, count)
            settled += count
        return {"rate": settled / passed, "messages": settled, "cpu": stage.cpu / settled * 1e6,
                "server_cpu": stage.server_cpu / settled * 1e6, "memory": resident_megabytes(stage.pids),
                "longest": stage.longest}
