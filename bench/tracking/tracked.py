"""A subject that tracks what it moves. It is measured in one of two ways: how fast it moves a pile, or how fast it takes the
reports of one, in random order. Before that so many are tracked as the work says."""
import random
import time

from paths import CLIENT
from stage import resident_megabytes
from subject import Subject


class Tracked(Subject):
    def start_taking(self, stage):
        """What takes reports, when it is not what moves."""
        self.start(stage)

    def measure(self, stage):
        work = stage.work
        if work.unit == "reports":
            return self.measure_reports(stage)
        self.load(stage, work.tracked)
        self.start(stage)
        count = min(work.count, self.most or work.count)
        stage.warm_up(start=work.tracked)
        tracked = int(stage.db.get("ns:message:id"))
        before = stage.db.info("memory")["used_memory"]
        passed = stage.move(count, tracked)
        held = (stage.db.info("memory")["used_memory"] - before) / count
        assert int(stage.db.get("ns:message:id")) == tracked + count, "not all are tracked"
        return self.seen(stage, count, passed, bytes=held)

    def measure_reports(self, stage):
        """As many are reported as the work says, of those that are tracked."""
        work = stage.work
        self.load(stage, work.tracked)
        self.start_taking(stage)
        ids = list(range(1, work.tracked + 1))
        random.shuffle(ids)
        count = min(work.count, work.tracked)
        for at in range(0, count, 1000):
            stage.db.lpush("reports", *ids[at:min(count, at + 1000)])
        passed = stage.timed(lambda: stage.db.rename("reports", "ns:message:done"),
                             lambda: not stage.db.exists("ns:message:done"))
        assert int(stage.db.hget("ns:metrics:done", "count")) == count, "not all reports were counted"
        return self.seen(stage, count, passed)

    @staticmethod
    def seen(stage, count, passed, **more):
        return {"rate": count / passed, "messages": count, "cpu": stage.cpu / count * 1e6,
                "server_cpu": stage.server_cpu / count * 1e6, "memory": resident_megabytes(stage.pids),
                "longest": stage.longest, **more}

    @staticmethod
    def load(stage, count):
        """By the quickest way there is."""
        if count == 0:
            return
        stage.fill("in", count)
        loader = stage.spawn(CLIENT, "tracked", "--port", stage.port, *stage.out_words)
        while stage.db.llen(stage.outs[-1]) < count:
            pass
        loader.kill()
        loader.wait()
        stage.processes.remove(loader)
        stage.db.delete(*stage.outs)
        time.sleep(2)  # in which Redis ends what it does to its tables when they grow
