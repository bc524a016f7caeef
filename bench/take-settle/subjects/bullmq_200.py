from bullmq import BullMQ

SUBJECT = BullMQ(200)
