from bridged import BridgeWork

WORK = BridgeWork("replies_5", "5 replies to each request", order=4, replies=5, in_flight=200, unit="deliveries")
