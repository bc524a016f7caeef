"""What leat costs while it has nothing to do, and what a long queue costs it."""
import os
import pathlib
import subprocess
import time
import unittest

from leat_testing import Case, eventually


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_megabytes(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM"))) / 1024


class Footprint(Case):
    def test_an_idle_service_lets_redis_sleep(self):
        redis = self.server()
        leat = self.leat("mpush", "--in", "in", "--out", "out", "--redis", redis.url, "--serviceNamespace", "ns")
        leat.wait_for("renew: started")
        time.sleep(1)
        with subprocess.Popen(["redis-cli", "-p", str(redis.port), "monitor"], stdout=subprocess.PIPE, text=True) as monitor:
            self.assertEqual(monitor.stdout.readline(), "OK\n")
            cpu, began = cpu_seconds(leat.pid), time.monotonic()
            time.sleep(16)  # a heartbeat is in it
            passed, cpu = time.monotonic() - began, cpu_seconds(leat.pid) - cpu
            monitor.terminate()
            lines = monitor.stdout.read().splitlines()
        commands = [line for line in lines if " lua] " not in line]  # what a script does within is the server's own affair
        print(f"idle: {len(commands) / passed:.2f} commands/s, {100 * cpu / passed:.2f} % of a core")
        self.assertGreater(len(commands), 5)
        self.assertLessEqual(len(commands) / passed, 2.0, "\n".join(lines))
        self.assertLess(cpu / passed, 0.005)

    def test_a_backlog_of_ten_million_costs_no_memory(self):
        redis = self.server()
        db = redis.client()
        fill = db.register_script("local t = {} for i = 1, 5000 do t[i] = 'message' end "
                                  "for i = 1, 200 do redis.call('LPUSH', KEYS[1], unpack(t)) end")
        for _ in range(10):
            fill(keys=["in"])
        self.assertEqual(db.llen("in"), 10_000_000)
        leat = self.leat("mpush", "--in", "in", "--out", "out", "--redis", redis.url)
        eventually(lambda: db.llen("out") > 2_000_000, 60)
        print(f"10 M backlog: {resident_megabytes(leat.pid):.1f} MB resident at most")
        self.assertLess(resident_megabytes(leat.pid), 25)
        self.assertEqual(leat.stop(), 0)


if __name__ == "__main__":
    unittest.main()
