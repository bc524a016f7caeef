from bridged import BridgeWork

WORK = BridgeWork("conversations_10k", "10,000 conversations", order=3, conversations=10_000, unit="deliveries")
