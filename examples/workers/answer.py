#!/usr/bin/env python3
"""Answers requests of leat mdispatch, and of a router's RedisExporter:  answer.py WORKERS [URL]"""
import json
import sys

import redis

workers, url = (sys.argv[1:] + ["redis://localhost:6379/0"])[:2]
db = redis.Redis.from_url(url)
hand = f"{workers}:answer.py"  # what we have in hand is there; when we die, the next start of us answers it
while True:
    text = db.lindex(hand, -1) or db.blmove(workers, hand, 5, "RIGHT", "LEFT")
    if text:
        request = json.loads(text)
        answer = {"meta": {"id": request["meta"]["id"]}, "body": request["body"].upper()}  # the work
        db.pipeline().lpush(request["meta"]["reply"], json.dumps(answer)).lrem(hand, -1, text).execute()
