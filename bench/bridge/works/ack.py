from bridged import BridgeWork

WORK = BridgeWork("ack", "with acknowledgement", order=5, ack=True, unit="deliveries", subjects=("leat", "leat-service"))
