"""The faults: how each is done to a running service under load. `title` is for the docs; `arrange` says which servers and
how leat reaches them, `happen` does it. A fault leaves the world healed; the suite then waits and counts."""
import os
import random
import signal
import time

from waiting import eventually

ALL = bool(os.environ.get("LEAT_TEST_ALL"))


class Fault:
    title = ""
    server = ()  # arguments of the private server
    replicas = 1
    rate = 10_000
    settings = ()  # more of leat's own
    of_takers = False  # movers have no such moment
    lease = 30  # of who takes
    max_deliveries = 1000
    of_kind = ""  # when only one kind has such a moment
    deaths = 0  # of a process that may have done something and not said so

    def repeats(self, concurrency):
        """How often something is done again, at least and at most, by a kind that does things outside Redis."""
        return 0, self.deaths * concurrency

    def arrange(self, scene):
        scene.use(scene.case.server(*self.server, program=scene.program))

    def happen(self, scene):
        raise NotImplementedError


def some(of_test, of_all):
    return of_all if ALL else of_test


class LeatIsKilled(Fault):
    title = "leat is killed at any moment (`kill -9`)"
    kills = deaths = some(20, 500)

    def happen(self, scene):
        for _ in range(self.kills):
            time.sleep(random.uniform(0.005, 0.15))
            victim = random.randrange(len(scene.services))
            scene.services[victim].process.kill()
            scene.services[victim].process.wait()
            scene.start(victim)


class OneOfThreeReplicasIsKilled(LeatIsKilled):
    title = "one of several replicas is killed at any moment"
    replicas = 3


class LeatIsStopped(Fault):
    title = "leat is stopped (SIGTERM) and started again under load"
    settings = ("--serviceNamespace", "ns")

    def happen(self, scene):
        for _ in range(5):
            time.sleep(random.uniform(0.05, 0.2))
            scene.equal(scene.services[0].stop(), 0)
            scene.equal(scene.service_client().llen("ns:service:ids"), 0)
            scene.start(0)
            scene.services[0].wait_for("renew: started")


class LeatIsFrozenBeyondItsLease(Fault):
    title = "leat itself stands still for longer than its registration lives (SIGSTOP, a paused machine)"
    replicas = 2
    settings = ("--serviceNamespace", "ns", "--serviceExpire", "3", "--serviceRenew", "1")
    lease = 2
    deaths = 1

    def happen(self, scene):
        frozen = scene.services[0]
        frozen.wait_for("renew: started")
        frozen.process.send_signal(signal.SIGSTOP)
        time.sleep(4.5)
        frozen.process.send_signal(signal.SIGCONT)
        scene.equal(frozen.exit_code(), 1)
        frozen.wait_for("expired")
        scene.start(0)


class RedisIsStopped(Fault):
    settings = ("--serviceNamespace", "ns", "--serviceExpire", "6", "--serviceRenew", "1")
    title = "Redis is stopped (SIGTERM) with `appendfsync everysec` and starts again"
    server = ("--appendonly", "yes", "--appendfsync", "everysec")
    signal = signal.SIGTERM

    def happen(self, scene):
        for _ in range(2):
            time.sleep(random.uniform(0.3, 0.6))
            scene.server.stop(self.signal)
            scene.forgets_here()
            time.sleep(0.3)
            scene.server.start()


class RedisIsKilledFsyncAlways(RedisIsStopped):
    title = "Redis is killed (`kill -9`) with `appendfsync always` and starts again"
    server = ("--appendonly", "yes", "--appendfsync", "always")
    signal = signal.SIGKILL
    rate = 2_000


class RedisIsKilledFsyncEverysec(RedisIsStopped):
    title = "Redis is killed (`kill -9`) with `appendfsync everysec` and starts again"
    signal = signal.SIGKILL


class RedisIsFrozen(Fault):
    title = "Redis stands still for 20 s (SIGSTOP)"
    rate = 2_000

    def happen(self, scene):
        time.sleep(0.5)
        scene.server.process.send_signal(signal.SIGSTOP)
        time.sleep(20)
        scene.server.process.send_signal(signal.SIGCONT)
        time.sleep(0.5)


class AnAnswerIsLost(Fault):
    title = "the connection is cut after a request has arrived and before its answer"
    times = some(8, 60)
    replicas = 2
    needle = (b"EVALSHA", 0)

    def arrange(self, scene):
        server = scene.case.server(program=scene.program)
        scene.use(server, through=scene.case.proxy(server))

    def happen(self, scene):
        for at in range(self.times):
            time.sleep(random.uniform(0, 0.05))
            dropped = scene.proxy.dropped
            scene.proxy.drop_answer(*self.needle)
            eventually(lambda: scene.proxy.dropped > dropped, 20, f"lost answer {at}")


class AnAnswerIsLostAndRedisIsAway(AnAnswerIsLost):
    title = "the same, and Redis cannot be reached for a while"
    of_takers = True
    replicas = 1  # so that the order is looked at
    rate = 150
    times = some(6, 20)
    needle = (b"EVALSHA", 0, 0.4)


class AnAnswerIsLostUnderTls(AnAnswerIsLost):
    title = "the same, over TLS"
    times = some(6, 40)
    needle = (b"\x17\x03\x03", 120)  # application data, by its length a call of a script and no LLEN of the listener

    def arrange(self, scene):
        server = scene.case.tls_server(program=scene.program)
        door = scene.case.proxy(server, port_of=lambda to: to.tls_port)
        door.url = f"rediss://127.0.0.1:{door.port}?cacert={server.authority}"
        scene.use(server, through=door)


class TheNetworkSwallowsEverything(Fault):
    title = "the network swallows everything, without a reset (a pulled cable, a firewall)"
    rate = 2_000

    def arrange(self, scene):
        server = scene.case.server(program=scene.program)
        scene.use(server, through=scene.case.proxy(server))

    def happen(self, scene):
        time.sleep(0.3)
        scene.proxy.black_hole()
        scene.services[0].wait_for("Redis does not answer", 20)
        scene.proxy.heal()


class TheNetworkIsSlow(TheNetworkSwallowsEverything):
    title = "every packet takes 50 ms"

    def happen(self, scene):
        scene.proxy.delay = 0.05
        time.sleep(2)
        scene.proxy.delay = 0.0
        scene.proxy.cut()


class ScriptsAreFlushed(Fault):
    title = "`SCRIPT FLUSH`"

    def happen(self, scene):
        for _ in range(50):
            scene.client().script_flush()
            time.sleep(random.uniform(0, 0.04))


class RedisIsOutOfMemory(Fault):
    title = "Redis is out of memory, and has room again"
    settings = ("--serviceNamespace", "ns", "--serviceExpire", "3", "--serviceRenew", "1")

    def happen(self, scene):
        scene.services[0].wait_for("renew: started")
        time.sleep(0.3)
        client = scene.client()
        scene.services[0].process.send_signal(signal.SIGSTOP)  # so that messages wait when memory is gone
        eventually(lambda: client.llen(scene.source) > 500)
        scene.producer.rest()
        client.config_set("maxmemory", "1")
        scene.services[0].process.send_signal(signal.SIGCONT)
        scene.services[0].wait_for("class=pause")
        waiting = client.llen(scene.source)
        time.sleep(4)  # longer than the registration lives without a heartbeat
        scene.equal(scene.service_client().exists("ns:service:1"), 1)
        scene.equal(client.llen(scene.source), waiting)
        client.config_set("maxmemory", "0")
        scene.producer.go_on()
        scene.services[0].wait_for("going on")
        time.sleep(0.3)


class AnOutHasTheWrongType(Fault):
    title = "an `out` turns into a hash, and back"

    def happen(self, scene):
        client = scene.client()
        for _ in range(3):
            time.sleep(0.2)
            out = random.choice(scene.outs)
            client.evalsha(client.script_load(
                "redis.call('RENAME', KEYS[1], KEYS[2]) redis.call('HSET', KEYS[1], 'a', 'b')"), 2, out, "saved")
            eventually(lambda: f"key={out}" in scene.services[0].output(), what="a word about the key")
            before = [client.llen(each) for each in scene.outs if each != out]
            time.sleep(0.3)
            scene.equal([client.llen(each) for each in scene.outs if each != out], before)
            client.rename("saved", out)
        scene.services[0].wait_for("going on")


class AllDataIsFlushed(Fault):
    title = "`FLUSHALL`"
    replicas = 2
    settings = ("--serviceNamespace", "ns", "--serviceExpire", "3", "--serviceRenew", "1")

    def happen(self, scene):
        for each in scene.services:
            each.wait_for("renew: started")
        for _ in range(5):
            time.sleep(0.3)
            scene.producer.rest()  # what is flushed is gone by order; all before and all after must arrive
            scene.await_drained()
            scene.check()
            scene.client().flushall()
            scene.forgets_here()
            eventually(lambda: scene.service_client().llen("ns:service:ids") == 2, what="the new registrations")


class SentinelFailsOver(Fault):
    title = "a Sentinel failover (three sentinels, one replica; the master is killed)"
    rate = 5_000
    settings = ("--popTimeout", "1", "--serviceNamespace", "ns", "--serviceExpire", "30", "--serviceRenew", "1")

    def arrange(self, scene):
        group = scene.case.sentinel_group(program=scene.program)
        scene.use(group.master, group=group)

    def happen(self, scene):
        time.sleep(1)
        replica = scene.group.replica.process
        replica.send_signal(signal.SIGSTOP)  # so that it lags behind, as replicas do
        scene.group.master.client().client_kill_filter(_type="slave")
        time.sleep(1.2)  # a heartbeat is among what the replica does not hear
        scene.group.master.stop(signal.SIGKILL)
        replica.send_signal(signal.SIGCONT)
        scene.forgets_here()
        eventually(lambda: scene.group.replica.role() == "master", 30, "the failover")
        scene.server = scene.group.replica
        time.sleep(1.5)


class AMessageIsTooLargeForTheConnection(Fault):
    title = "a message is larger than what Redis lets a client send (`client-query-buffer-limit`)"
    of_takers = True
    times = some(2, 10)
    max_deliveries = 5

    def happen(self, scene):
        client = scene.client()
        for _ in range(self.times):
            client.config_set("client-query-buffer-limit", "1gb")
            client.lpush(scene.source, scene.subject.large)
            client.config_set("client-query-buffer-limit", "1mb")
            eventually(lambda: self.ends(client), 60, lambda: f"an end of the large one; there is {client.keys('*')}")

    @staticmethod
    def ends(client):
        """It is given up, or its asker is told; or it went where it should, because Redis had it already."""
        if client.llen("in:dead") > 0:
            return client.delete("in:dead", "in:dead:story")
        for each in client.lrange("out", 0, 999):
            if len(each) > 1 << 20 or b'"TooLarge"' in each:
                return client.lrem("out", 1, each) if len(each) < 1 << 20 else client.eval(
                    "for i, each in ipairs(redis.call('LRANGE', KEYS[1], 0, 999)) do if #each > 1048576 then "
                    "return redis.call('LREM', KEYS[1], 1, each) end end", 1, "out")
        return False


class LeatDiesAt(Fault):
    """At a named step, again and again, by the build that can (tests/stopping)."""
    of_takers = True
    times = some(3, 20)
    point, again = "", 0  # and how often what was in hand is done again, each time

    def repeats(self, concurrency):
        if concurrency > 1 or self.again is None:
            return 0, self.times * concurrency
        return (self.times * self.again,) * 2

    def happen(self, scene):
        for at in range(self.times):
            scene.equal(scene.services[0].stop(), 0)
            passes = {"before_release": 1, "before_take": random.randrange(1, 4)}.get(self.point) or random.randrange(1, 30)
            scene.start(0, program=os.environ["LEAT_STOPPING"], env={"LEAT_DIES_AT": f"{self.point}:{passes}"})
            if self.point == "before_release":
                scene.services[0].wait_for("taking")
                time.sleep(0.2)
                scene.services[0].process.terminate()
            scene.equal(scene.services[0].exit_code(), -signal.SIGKILL)
            scene.start(0)
            scene.services[0].wait_for("taking")


class LeatStandsStillBeforeItSettles(Fault):
    title = "leat stands still for longer than its lease, with a message that is done and not acknowledged"
    of_takers = True
    lease = 2
    times = some(2, 10)
    replicas = 2

    def repeats(self, concurrency):
        return self.times, self.times * concurrency

    def happen(self, scene):
        for at in range(self.times):
            scene.equal(scene.services[0].stop(), 0)
            scene.start(0, program=os.environ["LEAT_STOPPING"], env={"LEAT_STOPS_AT": f"after_decide:{at + 5}"})
            stale = scene.services[0]
            eventually(lambda: state_of(stale.pid) == "T", 20, "a standstill")
            scene.services[1].wait_for("recovered what dead consumers had", 20)
            scene.services[1].log.write_text("")
            stale.process.send_signal(signal.SIGCONT)
            stale.wait_for("the lease was lost")


def state_of(pid):
    with open(f"/proc/{pid}/stat") as stat:
        return stat.read().rsplit(")", 1)[1].split()[0]


def dies_at(step, when, again, of_kind=""):
    return type(f"LeatDiesAt_{step}", (LeatDiesAt,),
                {"point": step, "again": again, "title": f"leat is killed {when}", "of_kind": of_kind})


class ACallsAnswerIsLost(AnAnswerIsLost):
    """Of one script, which is known by its number of keys."""
    of_takers = True
    replicas = 1
    keys = range(0)

    def happen(self, scene):
        sha = None
        with scene.client().monitor() as monitor:
            for seen in monitor.listen():
                words = seen["command"].split(" ")
                if words[0] == "EVALSHA" and int(words[2]) in self.keys:
                    sha = words[1]
                    break
        self.needle = (sha.encode(), 0)
        super().happen(scene)


class TheAnswerOfTakeIsLost(ACallsAnswerIsLost):
    title = "the connection is cut when messages were taken, before leat hears which"
    keys = range(7, 8)


class TheAnswerOfSettleIsLost(ACallsAnswerIsLost):
    title = "the connection is cut when messages were acknowledged, before leat hears of it"
    keys = range(9, 2000)  # of the queue, and where results are pushed


FAULTS = {
    "leat_is_killed": LeatIsKilled,
    "one_of_three_replicas_is_killed": OneOfThreeReplicasIsKilled,
    "leat_is_stopped": LeatIsStopped,
    "leat_is_frozen_beyond_its_lease": LeatIsFrozenBeyondItsLease,
    "redis_is_stopped": RedisIsStopped,
    "redis_is_killed_fsync_always": RedisIsKilledFsyncAlways,
    "redis_is_killed_fsync_everysec": RedisIsKilledFsyncEverysec,
    "redis_is_frozen": RedisIsFrozen,
    "an_answer_is_lost": AnAnswerIsLost,
    "an_answer_is_lost_and_redis_is_away": AnAnswerIsLostAndRedisIsAway,
    "an_answer_is_lost_under_tls": AnAnswerIsLostUnderTls,
    "the_network_swallows_everything": TheNetworkSwallowsEverything,
    "the_network_is_slow": TheNetworkIsSlow,
    "scripts_are_flushed": ScriptsAreFlushed,
    "redis_is_out_of_memory": RedisIsOutOfMemory,
    "an_out_has_the_wrong_type": AnOutHasTheWrongType,
    "all_data_is_flushed": AllDataIsFlushed,
    "sentinel_fails_over": SentinelFailsOver,
    "the_answer_of_take_is_lost": TheAnswerOfTakeIsLost,
    "the_answer_of_settle_is_lost": TheAnswerOfSettleIsLost,
    "leat_stands_still_before_it_settles": LeatStandsStillBeforeItSettles,
    "a_message_is_too_large_for_the_connection": AMessageIsTooLargeForTheConnection,
    "dies_before_take": dies_at("before_take", "before it takes", 0),
    "dies_after_take": dies_at("after_take", "when it has taken a message", 0),
    "dies_before_decide": dies_at("before_decide", "before it begins with a message", 0),
    "dies_after_decide": dies_at("after_decide", "when a message is done, before that is written down", 1),
    "dies_before_settle": dies_at("before_settle", "before it settles", None),
    "dies_after_settle": dies_at("after_settle", "when it has settled, before it goes on", 0),
    "dies_before_bridge_accept": dies_at("before_bridge_accept", "before it brings requests and responses to their conversations", 0, "bridge"),
    "dies_after_bridge_accept": dies_at("after_bridge_accept", "after that, before it knows", 0, "bridge"),
    "dies_before_bridge_conclude": dies_at("before_bridge_conclude", "before it notes how deliveries ended", 0, "bridge"),
    "dies_after_bridge_conclude": dies_at("after_bridge_conclude", "after that, before it knows", 0, "bridge"),
    "dies_before_release": dies_at("before_release", "before it ends its lease", 0),
}
