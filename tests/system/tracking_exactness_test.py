"""Four replicas, 200,000 messages, and every kind of report: each message is counted once, and the sums and histograms are
what the stored timestamps say."""
import collections
import itertools
import random
import time
import unittest

from leat_testing import Case, eventually

TIMEOUT = 6
WAVE = 20_000
WAVES = 10

# Timestamps of a range of ids.
READ = """local found = {}
for id = ARGV[1], ARGV[2] do
    found[#found + 1] = redis.call('HGET', 'ns:message:' .. id, 'timestamp')
end
return found"""


class Exactness(Case):
    def setUp(self):
        super().setUp()
        self.redis = self.server()
        self.db = self.redis.client(decode_responses=True)
        for index in range(4):
            leat = self.leat("mpush", "--in", "in", "--out", "out0", "--out", "out1", "--redis", self.redis.url,
                             "--serviceNamespace", "ns", "--messageTimeout", TIMEOUT, "--messageCapacity", 1_000_000,
                             "--name", f"r{index}", name=f"r{index}")
            leat.wait_for("renew: started")
        self.read = self.db.register_script(READ)
        self.timestamps = {}
        self.late_in_second = 0  # messages whose timeout may be seen in the next second
        self.expected = collections.Counter()
        self.done_sum = [0, 0]  # at least, at most
        self.done_tenths = collections.Counter()
        self.sure = True

    def metric(self, name):
        return {field: int(value) for field, value in self.db.hgetall(f"ns:metrics:{name}").items()}

    def push(self, key, entries):
        for at in range(0, len(entries), 1000):
            self.db.lpush(key, *entries[at:at + 1000])

    def publish(self, wave):
        self.push("in", [f"{wave}-{n}" for n in range(WAVE)])
        first, last = wave * WAVE + 1, (wave + 1) * WAVE
        eventually(lambda: int(self.db.get("ns:message:id") or 0) == last, 30, "all of a wave tracked")
        found = self.read(args=[first, last])
        for at in range(WAVE):
            self.timestamps[first + at] = int(found[at])
        for run, score in self.db.zrange("ns:message:deadlines", 0, -1, withscores=True):
            begin, *end = map(int, run.split("-"))
            if begin >= first and score % 1000 > 600:
                self.late_in_second += (end or [begin])[0] - begin + 1
        return list(range(first, last + 1))

    def are_there(self, ids):
        pipe = self.db.pipeline(transaction=False)
        for each in ids:
            pipe.exists(f"ns:message:{each}")
        return dict(zip(ids, pipe.execute()))

    def report(self, ids, noise):
        """Reports, in one second if the machine can, and recomputes what they are to add."""
        entries = [str(each) for each in ids] + noise
        random.shuffle(entries)
        began = self.db.time()[0]
        self.push("ns:message:done", entries)
        eventually(lambda: not self.db.exists("ns:message:done"), 30, "all reports taken")
        ended = self.db.time()[0]
        self.sure = self.sure and began == ended
        for each in ids:
            self.done_sum[0] += began - self.timestamps[each]
            self.done_sum[1] += ended - self.timestamps[each]
            tenth = min(10, 10 * (began - self.timestamps[each]) // TIMEOUT)
            self.done_tenths[f"histo{10 * tenth}"] += 1

    def test_each_is_counted_once(self):
        later = collections.defaultdict(list)  # wave -> ids to report then
        finished, late = [], []
        for turn in itertools.count():
            eventually(lambda: 0.02 < time.time() % 1 < 0.1)
            ids = self.publish(turn) if turn < WAVES else []
            if not (ids or late or turn in later):
                break
            expired = []
            for each in ids:
                fate = random.random()
                if fate < 0.7:
                    later[turn + random.randrange(3)].append(each)
                elif fate < 0.85:
                    self.expected["timeout"] += 1
                    if fate < 0.8:
                        late.append(each)
                elif fate < 0.9:
                    self.expected["message:expired"] += 1
                    expired.append(f"ns:message:{each}")
                else:
                    self.expected["timeout"] += 1
            if expired:
                self.db.delete(*expired)
            noise = []
            for each in random.sample(finished, min(len(finished), 500)):
                noise.append(f"{each}" if each % 2 else f"{each}:out1")
                self.expected["done:duplicate"] += 1
            now = self.db.time()[0]
            # On a busy machine a timeout is noticed late, and a report before that counts.
            there = self.are_there([each for each in late if self.timestamps[each] + TIMEOUT + 1 < now])
            too_late = [each for each, is_there in there.items() if not is_there]
            late = [each for each in late if there.get(each, True)]
            noise += map(str, too_late)
            self.expected["done:expired"] += len(too_late)
            for _ in range(50):
                noise += ["abc", "", "-7", "1.5", "x" * 2000, "99999999", "other:message:3"]
            self.expected["done:invalid"] += 50 * 6
            self.expected["done:unknown"] += 50
            in_time = [each for each in later[turn] if now < self.timestamps[each] + TIMEOUT - 2]
            self.expected["timeout"] += len(later[turn]) - len(in_time)  # the machine is too slow for these
            self.report(in_time, noise)
            finished += in_time
        eventually(lambda: not self.db.exists("ns:message:deadlines", "ns:message:ids"), 20, "nothing tracked any more")
        self.compare(len(finished))

    def compare(self, finished):
        done, timeout = self.metric("done"), self.metric("timeout")
        self.assertEqual(done["count"], finished)
        for name, count in self.expected.items():
            self.assertEqual(self.metric(name).get("count", 0), count, name)
        tracked = int(self.db.get("ns:message:id"))
        self.assertEqual(tracked, WAVE * WAVES)
        self.assertEqual(tracked, done["count"] + timeout["count"] + self.metric("message:expired")["count"])
        self.assertTrue(self.done_sum[0] <= done["sum"] <= self.done_sum[1], (done, self.done_sum))
        tenths = {name: count for name, count in done.items() if name.startswith("histo")}
        self.assertEqual(sum(tenths.values()), done["count"])
        if self.sure:
            self.assertEqual(tenths, dict(self.done_tenths))
        least = TIMEOUT * timeout["count"]
        self.assertGreaterEqual(timeout["sum"], least)
        if self.sure:
            self.assertLessEqual(timeout["sum"], least + self.late_in_second)
        self.assertEqual(timeout["histo100"], timeout["count"])
        self.assertEqual([self.db.llen("out0"), self.db.llen("out1")], [tracked, tracked])
        self.assertEqual(self.db.keys("ns:message:[0-9]*"), [])
        print(f"tracked {tracked:,} = done {done['count']:,} + timeout {timeout['count']:,} + expired "
              f"{self.expected['message:expired']:,}; exact seconds: {self.sure}, {self.late_in_second} unsure", flush=True)


if __name__ == "__main__":
    unittest.main()
