#!/usr/bin/env python3
"""A worker of leat in Python: takes messages of one out, works on each, and reports it done.

  worker.py NAMESPACE OUT [URL]
"""
import hashlib
import json
import re
import sys

import redis


def xid_of(message):
    """The id that a message brings along, as leat finds it: a number, meta.id of a JSON object, else its SHA1."""
    if re.fullmatch(rb"[0-9]{1,256}", message):
        return message.decode()
    try:
        # parse_int and parse_float keep the digits of a number
        meta = json.loads(message, parse_int=str, parse_float=str)["meta"]["id"]
        if isinstance(meta, str) and 0 < len(meta.encode()) <= 256:
            return meta
    except (ValueError, KeyError, TypeError, RecursionError):
        pass
    return hashlib.sha1(message).hexdigest()


def work(message):
    print(message.decode(errors="replace"), flush=True)


def main(namespace, out, url="redis://localhost:6379/0"):
    db = redis.Redis.from_url(url)
    hand = f"{out}:worker.py"  # what we have in hand is there; nothing is lost when we die
    while True:
        message = db.lindex(hand, -1)
        if message is None:
            message = db.blmove(out, hand, 5, "RIGHT", "LEFT")
        if message is None:
            continue
        try:
            work(message)
        except Exception as reason:  # not reported: after its timeout leat delivers it again, if it is set up to
            print(f"failed: {reason}", file=sys.stderr)
        else:
            message_id = db.hget(f"{namespace}:message:xid:{xid_of(message)}", "id")
            if message_id is not None:
                db.lpush(f"{namespace}:message:done", message_id.decode() + ":" + out)
        db.lrem(hand, -1, message)


if __name__ == "__main__":
    main(*sys.argv[1:])
