from bridged import BridgeWork

WORK = BridgeWork("conversations_1", "1 conversation, 100 requests in flight", order=1, conversations=1, in_flight=100, unit="deliveries")
