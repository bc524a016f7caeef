from subject import SelfMeasured


class Streams(SelfMeasured):
    name = "streams"
    label = "Redis Streams (Node)"
    title = "Redis Streams, a group per subscriber, from XADD to the last XACK (Node)"
    program = "streams.js"
    count = 50_000


SUBJECT = Streams()
