"""A program on a terminal."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time


class Terminal:
    """A program on a terminal of its own, and a picture of what it shows."""

    def __init__(self, words, columns=100, lines=30, env=None):
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            os.execvpe(words[0], words, env or os.environ)
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        self.received = b""
        self.cells = [""] * lines

    def read(self):
        while select.select([self.master], [], [], 0)[0]:
            try:
                part = os.read(self.master, 65536)
            except OSError:
                return
            self.received += part
            self.draw(part.decode(errors="replace"))

    def draw(self, text):
        for line, content in re.findall(r"\x1b\[(\d+);1H([^\x1b]*)\x1b\[K", text):
            self.cells[int(line) - 1] = content

    def shows(self, text):
        self.read()
        return any(text in each for each in self.cells)

    def press(self, key):
        os.write(self.master, key)

    def close(self):
        for attempt in range(100):
            self.read()
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.read()  # what it wrote at last
                os.close(self.master)
                return os.waitstatus_to_exitcode(status)
            time.sleep(0.05)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        raise AssertionError("it does not end")
