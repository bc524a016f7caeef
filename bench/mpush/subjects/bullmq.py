from subject import SelfMeasured


class BullMQ(SelfMeasured):
    name = "bullmq"
    label = "BullMQ"
    title = "BullMQ, a handler that pushes to every out, concurrency 50; order not kept"
    program = "bullmq.js"
    count = 10_000


SUBJECT = BullMQ()
