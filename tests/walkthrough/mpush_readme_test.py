"""The walk-through of the original mpush-redis README, with its own names and redis-cli: Installation, Publish a message,
Check subscription queues, Configuration, Default props."""
import unittest

from leat_testing import Case, eventually


class Walkthrough(Case):
    def setUp(self):
        super().setUp()
        self.redis = self.server()

    def demo_config(self):
        return self.file("demo.js", f"""module.exports = {{
   redis: '{self.redis.url}/0',
   in: 'demo:mpush:in',
   pending: 'demo:mpush:pending',
   popTimeout: 10,
   out: ['demo:mpush:out0', 'demo:mpush:out1']
}};
""")

    def test_the_log_shows_the_configuration_as_the_original_does(self):
        leat = self.leat("mpush", self.demo_config())
        leat.wait_for("messageCapacity")
        log = leat.output()
        self.assertIn(f"""INFO App: config {{
      redis: '{self.redis.url}/0',
      in: 'demo:mpush:in',
      pending: 'demo:mpush:pending',
      popTimeout: 10,
      out: [ 'demo:mpush:out0', 'demo:mpush:out1' ]""", log)
        self.assertIn("""defaultProps {
      serviceExpire: 60,
      serviceRenew: 15,
      serviceCapacity: 10,
      messageExpire: 60,
      messageTimeout: 10,
      messageCapacity: 1000 }""", log)

    def test_publish_a_message_and_check_the_subscription_queues(self):
        self.leat("mpush", self.demo_config())
        self.assertEqual(self.redis.cli("lpush", "demo:mpush:in", "one", raw=False), "(integer) 1")
        for out in ("demo:mpush:out0", "demo:mpush:out1"):
            eventually(lambda: self.redis.cli("lrange", out, 0, -1, raw=False) == '1) "one"', what=out)
        self.assertEqual(self.redis.cli("exists", "demo:mpush:in", "demo:mpush:pending"), "0")

    def test_from_the_logs_we_deduce_the_commands(self):
        leat = self.leat("mpush", self.demo_config(), "--popTimeout", 5, env={"loggerLevel": "debug"})
        self.redis.cli("lpush", "demo:mpush:in", "one")
        leat.wait_for("lpush demo:mpush:out1 one")
        self.assertIn("brpoplpush demo:mpush:in demo:mpush:pending 5", leat.output())
        self.assertIn("lpush demo:mpush:out0 one", leat.output())

    def test_props_file_names_the_configuration(self):
        js = self.file("mpush-redis.js", f"""module.exports = {{
   redis: '{self.redis.url}/0',
   serviceRedis: '{self.redis.url}/1',
   serviceNamespace: 'demo:mpush',
   popTimeout: 10,
   in: 'demo:mpush:in',
   pending: 'demo:mpush:pending',
   out: ['demo:mpush:out0', 'demo:mpush:out1'],
   done: 'demo:mpush:done'
}};
""")
        self.leat("mpush", env={"propsFile": str(js)})
        self.redis.cli("lpush", "demo:mpush:in", "two")
        eventually(lambda: self.redis.cli("lrange", "demo:mpush:out1", 0, -1) == "two")
        self.redis.cli("-n", 1, "lpush", "demo:mpush:done", 1)  # beside the message keys, under its own name
        eventually(lambda: self.redis.cli("-n", 1, "hget", "demo:mpush:metrics:done", "count") == "1")

    def test_json_props(self):
        json = self.file("p.json", f'{{"redis": "{self.redis.url}", "in": "a", "out": ["b"]}}')
        self.leat("mpush", json)
        self.redis.cli("lpush", "a", "x")
        eventually(lambda: self.redis.cli("llen", "b") == "1")


if __name__ == "__main__":
    unittest.main()
