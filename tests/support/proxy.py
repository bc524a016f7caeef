"""A TCP port between leat and its server that can misbehave."""
import asyncio
import socket
import threading


class Proxy:
    """A port of 127.0.0.1 that leads to `target` (anything with a port), and what can go wrong on the way:

    target = other      new connections lead there: a name that moves; those that are there stay
    delay = 0.001       every byte arrives so many seconds later, in both directions, still pipelined
    cut()               every connection ends with a reset
    drop_answer(needle, longer_than, away) the next request that holds these bytes, and is longer than so many, reaches the
                        server; its answer does not come back, the connection ends instead, and nothing passes for
                        `away` seconds. `dropped` counts.
    hold_answers(needle) from the next request on that holds these bytes, nothing that the server says comes back on its
                        connection; what is asked arrives. `held` counts.
    black_hole()        nothing passes any more and nothing ends; new connections are taken and not served
    stall(needle)       as a black hole, but only for connections of which a request holds these bytes
    heal()              from now on all passes, what was held back, too
    """

    def __init__(self, target, port_of=lambda server: server.port):
        self.target = target
        self.delay = 0.0
        self.dropped = 0
        self._port_of = port_of
        self._needle = None
        self._stalled = None
        self._longer_than = 0
        self._away = 0.0
        self._held_from = None
        self.held = 0
        self._pairs = set()
        self._loop = asyncio.new_event_loop()
        self._open = asyncio.Event()
        self._open.set()
        listening = socket.create_server(("127.0.0.1", 0))
        self.port = listening.getsockname()[1]
        self.url = f"redis://127.0.0.1:{self.port}"
        started = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(listening, started), daemon=True)
        self._thread.start()
        started.wait()

    def cut(self):
        self._call(self._cut_all)

    def drop_answer(self, needle, longer_than=0, away=0.0):
        def arm():
            self._needle = needle
            self._longer_than = longer_than
            self._away = away
        self._call(arm)

    def hold_answers(self, needle):
        self._call(lambda: setattr(self, "_held_from", needle))

    def black_hole(self):
        self._call(self._open.clear)

    def stall(self, needle):
        self._call(lambda: setattr(self, "_stalled", needle))

    def heal(self):
        self._call(lambda: (setattr(self, "_stalled", None), self._open.set()))

    def close(self):
        self._call(self._cut_all)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _call(self, work):
        done = threading.Event()
        self._loop.call_soon_threadsafe(lambda: (work(), done.set()))
        done.wait()

    def _run(self, listening, started):
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_server(self._serve, sock=listening))
        started.set()
        self._loop.run_forever()
        server.close()
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.run_until_complete(asyncio.sleep(0))
        self._loop.close()

    def _cut_all(self):
        for pair in list(self._pairs):
            pair.cut()

    async def _serve(self, reader, writer):
        await self._open.wait()
        try:
            there = await asyncio.open_connection("127.0.0.1", self._port_of(self.target))
        except OSError:
            writer.transport.abort()
            return
        pair = _Pair(writer, there[1])
        self._pairs.add(pair)
        try:
            await asyncio.gather(self._pump(pair, reader, there[1], False), self._pump(pair, there[0], writer, True))
        finally:
            self._pairs.discard(pair)
            pair.cut()
            if pair.doomed:  # here, because the client may end the connection before the answer comes
                self.dropped += 1

    async def _pump(self, pair, source, sink, answers):
        try:
            while data := await source.read(1 << 16):
                await self._open.wait()
                pair.seen = pair.seen if answers else (pair.seen + data)[:4096]
                while self._stalled is not None and self._stalled in pair.seen:
                    await asyncio.sleep(0.05)
                while answers and pair.held:
                    await asyncio.sleep(0.05)
                if answers and pair.doomed:
                    if self._away:
                        self._open.clear()
                        self._loop.call_later(self._away, self._open.set)
                    break
                if not answers:
                    pair.requests += 1
                    self._doom(pair, data)
                if self.delay:
                    self._loop.call_later(self.delay, _write, sink, data)
                else:
                    sink.write(data)
                    await sink.drain()
        except OSError:
            pass
        if self.delay:
            await asyncio.sleep(self.delay)
        pair.cut()


    def _doom(self, pair, data):
        if self._held_from is not None and self._held_from in data:
            self._held_from = None
            pair.held = True
            self.held += 1
        greeted = pair.requests > 4  # before that it is a handshake and a greeting
        if self._needle is not None and self._needle in data and len(data) > self._longer_than and greeted:
            self._needle = None
            pair.doomed = True


class _Pair:
    """The two ends of one connection."""

    def __init__(self, *writers):
        self.writers = writers
        self.requests = 0
        self.seen = b""  # of the requests, the first
        self.doomed = False  # the next answer is not to arrive
        self.held = False  # no answer arrives any more

    def cut(self):
        self.held = False
        for each in self.writers:
            each.transport.abort()


def _write(sink, data):
    if not sink.transport.is_closing():
        sink.write(data)
