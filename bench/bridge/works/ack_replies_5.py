from bridged import BridgeWork

WORK = BridgeWork("ack_replies_5", "5 replies to each request, with acknowledgement", order=6, ack=True, replies=5, in_flight=200,
                  unit="deliveries", subjects=("leat", "leat-service"))
