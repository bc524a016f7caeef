"""Looking again until something is so."""
import time


def eventually(holds, timeout=10.0, what="the condition"):
    """Looks again until it is true; its last value comes back. No sleep that is longer than needed. `what` may be a function,
    which is asked when it did not come true."""
    deadline = time.monotonic() + timeout
    while True:
        value = holds()
        if value:
            return value
        if time.monotonic() > deadline:
            what = what() if callable(what) else what
            raise AssertionError(f"{what} did not come true within {timeout} s; last seen: {value!r}")
        time.sleep(0.01)
