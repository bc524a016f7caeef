"""leat metrics shows whatever services have counted, each with its unit, by service and queue."""
import json
import re
import time
import unittest

from leat_testing import ROOT, eventually
from routing_case import RoutingCase, answer_to, importer

BRIDGE = "bridge:queue:"
ROUTES = {
    "RedisImporter.singleton": importer("DurationMonitor.d", "RateLimitFilter.l", "DedupeFilter.d", "multicast.m", timeout=2000),
    "DurationMonitor.d": {}, "RateLimitFilter.l": {"limit": 5, "periodMillis": 0, "shared": "limit"},
    "DedupeFilter.d": {"prefix": "seen:"},
    "multicast.m": {"routes": [{"route": ["TimeoutFilter.t", "RedisExporter.ask"]},
                               {"route": ["RateLimitFilter.none", "RedisExporter.b"], "optional": True}]},
    "TimeoutFilter.t": {"timeout": 300}, "RateLimitFilter.none": {"limit": 1, "periodMillis": 0},
    "RedisExporter.ask": {"queue": {"out": "work", "reply": "answers"}}, "RedisExporter.b": {"queue": {"out": "b"}},
}
# Some of what is counted, with the service and queue that it belongs to.
PLACES = ("duration:DurationMonitor.d@routes/in", "duplicate:DedupeFilter.d@routes/in", "optional:multicast.m@routes/in",
          "dead@routes/in", "answer:late@routes/answers", "answer:unknown@routes/answers", "answer:invalid@routes/answers",
          "settled@mdispatch/asked", "settled@exec/jobs", "settled@rquery/queries", "error@second/work2",
          "bridge:call@bridge/bridge:in", "bridge:call@bridge/bridge:answers", "bridge:invalid@bridge/bridge:in",
          "bridge:invalid@bridge/bridge:answers", "bridge:FENCED@bridge/bridge:answers")


def names_of_the_code():
    """With their meanings; a star stands for a part that has a name of its own."""
    return dict(re.findall(r'metric_name\{"([^"]+)", "([^"]+)"\}', (ROOT / "src" / "store" / "metrics.hpp").read_text()))


def names_of_the_guide():
    """The tables of what was counted; <..> stands for a part that has a name of its own."""
    part = (ROOT / "docs" / "guides" / "tracking.md").read_text().split("## What was counted", 1)[1].split("\n## ", 1)[0]
    cells = re.findall(r"^\| (`[^|]*) \|", part, re.M)
    return [re.sub("<.*>", "*", name) for cell in cells for name in re.findall("`([^`]+)`", cell)]


def meaning_of(name, known):
    """That of the longest name that fits."""
    fitting = [each for each in known if each == name or each.endswith("*") and name.startswith(each[:-1])]
    return known[max(fitting, key=len)] if fitting else None


class Names(unittest.TestCase):
    def test_what_is_counted_has_a_row_in_the_guide_and_nothing_else_has(self):
        names = names_of_the_guide()
        self.assertEqual(sorted(set(names)), sorted(names_of_the_code()))
        self.assertEqual(sorted({each for each in names if names.count(each) > 1}), ["dead", "recovered", "retry"])  # of two tables

    def test_what_the_scripts_of_a_bridge_count_has_a_row_in_its_guide_and_nothing_else_has(self):
        table = (ROOT / "docs" / "guides" / "bridge.md").read_text().split("| field | what was counted |", 1)[1].split("\n\n", 1)[0]
        told = {name for cell in re.findall(r"^\| (`[^|]*) \|", table, re.M) for name in re.findall("`([^`]+)`", cell)}
        scripts = "".join(each.read_text() for each in (ROOT / "src" / "store" / "lua").rglob("bridge_*.lua"))
        counted = set(re.findall(r"count\(bridge, '(\w+)'", scripts))
        self.assertGreater(len(counted), 10)
        self.assertLessEqual(counted, told)
        self.assertEqual([each for each in told if f"'{each}'" not in scripts], [])


class Metrics(RoutingCase):
    def route(self):
        self.router(ROUTES, "--serviceNamespace", "ns")
        worker = self.worker(answer=lambda body: None if body == "silent" else body)
        for each in ("a", "a", "silent", "c", "d", "refused"):  # one again, one in vain, one beyond the limit
            self.db.lpush("in", each)
        self.await_list("in:error", 2)
        request = next(each for each in worker.requests if each["body"] == "silent")
        self.db.lpush(request["meta"]["reply"], answer_to(request, "late"), "{", json.dumps({"meta": {"id": "x"}, "body": ""}))

    def dispatch(self):
        self.leat("mdispatch", "--redis", self.redis.url, "--in", "asked", "--workers", "work", "--serviceNamespace", "ns")
        self.db.set("work2", "a text")
        self.leat("mdispatch", "--redis", self.redis.url, "--in", "asked2", "--workers", "work2", "--timeout", 500, "--name", "second",
                  "--serviceNamespace", "ns")
        for queue in ("asked", "asked2"):
            self.db.lpush(queue, json.dumps({"meta": {"id": "q", "reply": f"{queue}:reply:q"}}))
            self.await_list(f"{queue}:reply:q", 1)

    def run_and_query(self):
        self.leat("exec", "--redis", self.redis.url, "--in", "jobs", "--command", "true", "--serviceNamespace", "ns")
        self.leat("rquery", "--redis", self.redis.url, "--in", "queries", "--reply", "found", "--prefixes", "article:",
                  "--serviceNamespace", "ns")
        self.db.lpush("jobs", "a job")
        self.db.lpush("queries", json.dumps({"parameters": {}, "commands": [{"command": "hget article:1 title", "save": "title"}]}))
        self.await_list("found", 1)

    def bridge(self):
        self.leat("bridge", "--redis", self.redis.url, "--serviceNamespace", "ns")
        self.db.lpush("bridge:in", *(json.dumps(each) for each in (
            {"type": "request", "conversationId": "c", "requestId": "r", "origin": "o"},
            {"type": "response", "conversationId": "c", "requestId": "r", "responseId": "a", "origin": "o", "body": "x"},
            {"type": "ack", "asyncResponseId": "nobody"}, {"type": "no type"})))
        delivery = json.loads(self.db.brpop("bridge:out:o", 10)[1])
        answer = {key: delivery[key] for key in ("conversationId", "requestId", "responseId", "fence")}
        self.db.lpush("bridge:answers", json.dumps({**answer, "status": "sent"}), json.dumps({**answer, "status": "sent"}), "no JSON")
        eventually(lambda: self.db.hget(BRIDGE + "counts", "delivered"))

    def push(self):
        self.leat("mpush", "--redis", self.redis.url, "--in", "from", "--out", "to", "--serviceNamespace", "ns",
                  "--messageTimeout", 1, "--messageCapacity", 2)
        self.db.lpush("from", "1", "2", "3")
        self.await_list("to", 3)
        self.db.lpush("ns:message:done", "1", "77", "nonsense")

    def written(self):
        """What Redis holds: (name, service and queue) of each key of the namespace, and the counters of the bridge."""
        keys = {key.decode().removeprefix("ns:metrics:") for key in self.db.keys("ns:metrics:*")} - {"names"}
        keys = {key for key in keys if not key.startswith("writer:")}
        fields = {each: {key.decode(): value.decode() for key, value in self.db.hgetall(f"ns:metrics:{each}").items()} for each in keys}
        for name, number in self.db.hgetall(BRIDGE + "counts").items():
            fields[f"bridge:counts:{name.decode()}"] = {"count": number.decode()}
        return fields

    def shown(self):
        (space,) = json.loads(self.run_leat("metrics", "--redis", self.redis.url, "--json").stdout)
        rows = {f"{row['metric']}@{row['service']}/{row['queue']}": row for row in space["services"]}
        return {**space["metrics"], **rows}

    def check(self, shown, written):
        self.assertEqual(sorted(shown), sorted(written))
        for name, fields in written.items():
            seen = shown[name]
            times = "sum" in fields or "unit" in fields
            self.assertEqual(seen["unit"], fields.get("unit", "s") if times else "count", name)
            self.assertEqual(seen["count"], int(fields["count"]), name)
            for field in ("sum", "max", "last"):
                if field in fields:
                    self.assertEqual(str(seen[field]), fields[field], name)
            for field in fields:
                if field.startswith("histo") or re.fullmatch(r"ms\d+|msMore", field):
                    self.assertEqual(str(seen["histogram"][field]), fields[field], name)

    def check_text(self, shown):
        text = self.run_leat("metrics", "--redis", self.redis.url, "--by-queue").stdout
        known = names_of_the_code()
        for name, row in shown.items():
            total = name.split("@")[0]
            meaning = meaning_of(total, known)
            self.assertTrue(meaning, f"{name} has a meaning")
            unit = row["unit"]
            times = "" if unit == "count" else rf" +\d+\.\d {unit}" + (rf" +{row['max']:,} {unit}" if "max" in row else "")
            place, ends = ("", ".*  " + re.escape(meaning)) if "@" not in name else (
                " +{} +{}".format(*map(re.escape, (row["service"], row["queue"] or "-"))), "")
            self.assertRegex(text, rf"(?m)^{re.escape(total)}{place} +{row['count']:,}\b{times}{ends} *$", name)

    def test_all_that_services_have_counted_is_shown(self):
        self.push()
        self.route()
        self.dispatch()
        self.run_and_query()
        self.bridge()
        wanted = ("settled@exec/jobs", "settled@rquery/queries", "start", "settled", "dead", "error", "done", "timeout",
                  "messageCapacity", "done:unknown", "done:invalid",
                  "answer:late", "answer:unknown", "answer:invalid", "duration:DurationMonitor.d", "duplicate:DedupeFilter.d",
                  "optional:multicast.m", "bridge:call", "bridge:invalid", "bridge:CLAIMED", "bridge:counts:delivered",
                  "bridge:counts:fenced", "bridge:counts:ackUnmatched")
        eventually(lambda: set(wanted) <= set(self.written()), 10, lambda: sorted(set(wanted) - set(self.written())))
        seen = {}

        def settled():
            before, seen["shown"], seen["written"] = self.written(), self.shown(), self.written()
            return before == seen["written"]
        eventually(settled, 10)
        self.check(seen["shown"], seen["written"])
        self.assertLessEqual(set(PLACES), set(seen["shown"]), sorted(seen["shown"]))
        self.assertEqual([name for name in seen["shown"] if name.endswith("/") and not name.startswith("late@")], [])
        self.check_text(seen["shown"])


class Faults(RoutingCase):
    """Of the server of the namespace, while the queues' own is well."""
    def serve(self, url):
        leat = self.leat("exec", "--redis", self.redis.url, "--in", "in", "--command", "true", "--concurrency", 4, "--serviceNamespace", "ns",
                         "--serviceRedis", url)
        self.push(5)
        return leat

    def push(self, many):
        self.pushed = getattr(self, "pushed", 0) + many
        self.db.lpush("in", *range(many))
        self.await_nothing_pending()

    def await_all(self):
        for metric in ("settled", "settled@exec/in"):
            self.await_count(metric, self.pushed)

    def test_what_was_not_written_is_written_later_and_once(self):
        between = self.proxy(self.redis)
        leat = self.serve(between.url)
        self.await_all()
        between.drop_answer(b"ns:metrics:names", away=0.3)  # it was written, and nobody knows
        eventually(lambda: self.push(1) or between.dropped, 10)
        self.push(3)
        self.await_all()
        between.black_hole()
        self.push(7)
        time.sleep(1.5)  # it is on its way
        between.cut()  # it was not written, and nobody knows
        between.heal()
        self.push(3)
        self.await_all()
        self.push(2)
        self.assertEqual(leat.stop(), 0)
        self.await_all()
        self.assertEqual(self.db.keys("ns:metrics:writer:*"), [])

    def test_a_fault_is_in_the_log_when_it_begins_and_when_it_ends(self):
        self.db.execute_command("ACL", "SETUSER", "counting", "on", "nopass", "~*", "&*", "+@all")
        leat = self.serve(self.redis.url.replace("redis://", "redis://counting:x@"))
        self.await_all()
        self.db.execute_command("ACL", "SETUSER", "counting", "-sadd")
        self.push(5)
        leat.wait_for("what is counted cannot be written")
        self.push(5)
        self.assertLess(self.count("settled"), self.pushed)
        self.db.execute_command("ACL", "SETUSER", "counting", "+sadd")
        leat.wait_for("going on, what is counted cannot be written")
        self.await_all()
        self.assertEqual(leat.output().count("what is counted cannot be written"), 2, leat.output())


if __name__ == "__main__":
    unittest.main()
