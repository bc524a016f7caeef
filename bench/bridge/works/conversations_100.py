from bridged import BridgeWork

WORK = BridgeWork("conversations_100", "100 conversations", order=2, conversations=100, unit="deliveries")
